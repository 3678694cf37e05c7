import { shellCommand } from '../../../sdk/src/internal/shell-command.ts'

/** A command line of this program to copy: a shell splits it into exactly these words. */
export function commandLine(...words: readonly string[]): string {
  return shellCommand(['fish-cli', ...words])
}
