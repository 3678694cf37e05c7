export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof SHELLS)[number]

export const COMPLETE_COMMAND = '__complete'

/**
 * The variable that contains the command line up to the cursor. The line may contain secrets, so it is not passed as an
 * argument: other users of the machine can read arguments.
 */
export const LINE_VARIABLE = 'FISH_CLI_LINE'

export function isShell(name: string | undefined): name is Shell {
  return (SHELLS as readonly (string | undefined)[]).includes(name)
}
