import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { type CliError, usageError } from '../core/errors.ts'

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

/** The beginning of a command line that is not a command. */
interface UnknownCommand {
  readonly words: readonly string[]
  readonly ids: readonly string[]
  readonly topics: readonly string[]
  /** The word before the suggested command. */
  readonly before?: 'help'
}

/** The error repeats only a word that can be a command, because any other word may be a misplaced secret. */
export function unknownCommand({ words, ids, topics, before }: UnknownCommand): CliError {
  const [first = '', second = ''] = words
  const topic = topics.find((each) => each === first)
  const word = topic === undefined ? first : second
  const name = /^[a-z]{1,16}$/.test(word) && first !== second ? ` "${word}"` : ''
  const meant = closestCommand(words, ids)
  const help = topic === undefined ? ALL_COMMANDS : `See: fish-cli ${topic} --help`
  return usageError(
    `Unknown command${name}${topic === undefined ? '' : ` of "fish-cli ${topic}"`}.`,
    didYouMean(meant && (before ? `${before} ${meant}` : meant)) + help,
  )
}

const ALL_COMMANDS = 'For all commands: fish-cli --help'

/** The error for a command line that begins with a flag. */
export function missingCommand(argv: readonly string[]): CliError {
  const [first = ''] = argv
  if (argv.some((word) => !word.startsWith('-'))) return usageError('Flags must follow the command.', ALL_COMMANDS)
  const meant = closestWord(first.replace(/^-+/, ''), ['help', 'version'])
  return usageError('The command is missing.', didYouMean(meant && `--${meant}`) + ALL_COMMANDS)
}

function didYouMean(words: string | undefined): string {
  return words === undefined ? '' : `Did you mean: fish-cli ${words}? `
}
