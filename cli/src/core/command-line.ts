import { shellCommand } from '../../../server/src/node/shell-command.ts'

/**
 * Returns a command line of this program that users can copy. A shell splits the command line into exactly these words.
 */
export function commandLine(...words: readonly string[]): string {
  return shellCommand(['fish-cli', ...words])
}
