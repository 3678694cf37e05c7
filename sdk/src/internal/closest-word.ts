/** Edit distance: letters inserted, deleted or substituted, or neighbours swapped (optimal string alignment). */
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
 * The most similar word, ignoring letter case: the closest one if at most a third of it differs, else the first that
 * starts with the given text. `undefined` if none is similar.
 *
 * @example closestWord('lits', ['list', 'login']) // 'list'
 */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const lower = typed.toLowerCase()
  const near = words
    .map((word) => ({
      word,
      steps: distance(lower, word.toLowerCase()),
      longer: Math.abs(word.length - lower.length),
      most: Math.max(1, Math.floor(Math.max(word.length, lower.length) / 3)),
    }))
    .filter(({ steps, most }) => steps <= most)
    // Typing errors are more often swapped or wrong letters than omitted ones.
    .sort((one, other) => one.steps - other.steps || one.longer - other.longer)
  if (near[0]) return near[0].word
  return lower.length < SHORTEST_BEGINNING ? undefined : words.find((word) => word.toLowerCase().startsWith(lower))
}
