import { closestWord } from '../../../sdk/src/internal/closest-word.ts'

/**
 * Returns the command that is most similar to the words. In `ids`, `:` stands for the space between words. Never
 * returns the input, which may be a misplaced secret.
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
  // The user typed only the topic, and spelled it correctly.
  return word === first ? undefined : word
}

export function didYouMean(meant: string | undefined, all = 'For all commands: fish-cli --help'): string {
  return meant === undefined ? all : `Did you mean: fish-cli ${meant}? ${all}`
}
