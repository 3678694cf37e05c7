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
