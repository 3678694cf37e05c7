export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof SHELLS)[number]

export const COMPLETE_COMMAND = '__complete'

/** Variables for the command line, which may contain anything: others on the machine can read arguments. */
export const VARIABLES = {
  /** bash: the line up to the cursor. */
  line: 'FISH_CLI_LINE',
  /** bash: the characters at which it cuts words. */
  breaks: 'FISH_CLI_BREAKS',
  /** Other shells: the words up to the cursor, the program first, with {@link SEPARATOR} between them. */
  words: 'FISH_CLI_WORDS',
} as const

/** The "unit separator" of ASCII, which nobody types. */
export const SEPARATOR = '\u001f'

export function isShell(name: string | undefined): name is Shell {
  return (SHELLS as readonly (string | undefined)[]).includes(name)
}
