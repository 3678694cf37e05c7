import { closestWord } from '../../../sdk/src/internal/closest-word.ts'

/**
 * The closest command or topic. Returns only names in `ids`, never the input, which may be a misplaced secret.
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
  // The topic alone was typed, correctly.
  return word === first ? undefined : word
}

/**
 * The hint for an unknown command.
 *
 * @param meant The closest command, as it is typed.
 * @param all Where all commands are listed.
 */
export function didYouMean(meant: string | undefined, all = 'For all commands: fish-cli --help'): string {
  return meant === undefined ? all : `Did you mean: fish-cli ${meant}? ${all}`
}
