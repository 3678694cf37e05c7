/** Steps from one word to another: a letter put in, left out or changed, or two neighbours swapped (optimal string alignment). */
function distance(from: string, to: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const now = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      now.push(
        Math.min(
          at(last, column) + 1,
          at(now, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = last
    last = now
  }
  return at(last, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}

const SHORTEST_BEGINNING = 3

/**
 * The word that was probably meant: the closest one, where at most a third of it is off, or the first that begins with
 * what was typed. `undefined` where none is close.
 *
 * @example closestWord('lits', ['list', 'login']) // 'list'
 */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const lower = typed.toLowerCase()
  const near = words
    .map((word) => ({ word, steps: distance(lower, word), longer: Math.abs(word.length - lower.length) }))
    .filter(({ word, steps }) => steps <= Math.max(1, Math.floor(word.length / 3)))
    // Letters are swapped or mistaken more often than they are left out.
    .toSorted((one, other) => one.steps - other.steps || one.longer - other.longer)
  if (near[0]) return near[0].word
  return lower.length < SHORTEST_BEGINNING ? undefined : words.find((word) => word.startsWith(lower))
}

/**
 * The command that was probably meant, as it is typed, or the topic. Only names of `ids` are answered, never what was
 * typed, which may be a secret in the wrong place.
 *
 * @param ids All commands; `:` stands for the space between words.
 * @example closestCommand(['user', 'creat', 'Alex'], ['list', 'user:create']) // 'user create'
 * @example closestCommand(['create', 'user'], ['list', 'user:create']) // 'user create'
 */
export function closestCommand(words: readonly string[], ids: readonly string[]): string | undefined {
  const [first = '', second = ''] = words.flatMap((word) => word.split(':')).filter((word) => !word.startsWith('-'))
  const verbsOf = (topic: string) =>
    ids.flatMap((id) => (id.startsWith(`${topic}:`) ? [id.slice(topic.length + 1)] : []))
  const swapped = second === '' ? undefined : closestWord(first, verbsOf(second))
  if (swapped !== undefined) return `${second} ${swapped}`
  const word = closestWord(first, [...new Set(ids.map((id) => id.replace(/:.*/, '')))])
  if (word === undefined) return undefined
  const verb = second === '' ? undefined : closestWord(second, verbsOf(word))
  if (verb !== undefined) return `${word} ${verb}`
  // The word alone was typed, and was not what was wrong.
  return word === first ? undefined : word
}

/**
 * The next step for who typed no command.
 *
 * @param meant What was probably meant, as it is typed.
 * @param all Where to see what there is.
 */
export function meantHint(meant: string | undefined, all = 'See what there is: fish-cli --help'): string {
  return meant === undefined ? all : `Did you mean: fish-cli ${meant}? ${all}`
}
