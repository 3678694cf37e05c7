import { shellCommand } from '../../../server/src/node/shell-command.ts'

/**
 * Returns a command line of this program that users can copy. A shell splits the command line into exactly these words.
 */
export function commandLine(...words: readonly string[]): string {
  return shellCommand(['fish-cli', ...words])
}

/** The words that may be flags. Words after `--` are not flags. */
export function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** The flags that help and errors of the parser need. The flags of a command come from the parser. */
export interface EarlyFlags {
  readonly json: boolean
  readonly 'no-color': boolean
}

export function earlyFlags(argv: readonly string[]): EarlyFlags {
  const words = flagWords(argv)
  return { json: words.includes('--json'), 'no-color': words.includes('--no-color') }
}

// No command uses -h for a purpose other than help.
const HELP_FLAGS = ['--help', '-h']

/**
 * Returns the words after `help`, or the words of a command line with a help flag. Returns `undefined` if no help is
 * requested.
 */
export function helpWords(argv: readonly string[]): readonly string[] | undefined {
  const flags = flagWords(argv)
  const [first] = argv
  if (first !== undefined && first !== 'help' && !HELP_FLAGS.some((flag) => flags.includes(flag))) return undefined
  const words = flags.filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words.slice(1) : words
}

export function isVersionRequest([first = '']: readonly string[]): boolean {
  return ['--version', '-v', '-V', 'version'].includes(first)
}

/** Returns the longest command or topic that the words begin with. */
export function findPage(words: readonly string[], ids: { has(id: string): boolean }): string | undefined {
  if (words.length === 0) return ''
  for (const length of [2, 1]) {
    const id = words.slice(0, length).join(':')
    if (words.length >= length && ids.has(id)) return id
  }
  return undefined
}
