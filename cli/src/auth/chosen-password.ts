import { LIMITS } from '@fish-crab/sdk/constants'
import { CliError, usageError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { printable } from '../output/printable.ts'
import { canAsk, givenSecret, readSecret } from './read-secret.ts'

const VARIABLE = 'FISH_NEW_ADMIN_PASSWORD'

/** From where the password of a new administrator may come. */
export interface ChosenPasswordFlags {
  readonly 'no-input'?: boolean | undefined
  readonly 'password-stdin'?: boolean | undefined
}

/**
 * The password that a new administrator gets: from stdin, the environment or a file, else from a person, who types it
 * twice, since nobody sees it.
 *
 * @throws CliError `missing_credentials`, `passwords_differ`, or `usage` for one of a wrong length
 */
export async function chosenPassword(io: RunIo, username: string, flags: ChosenPasswordFlags): Promise<string> {
  const asking = requestOf(username, flags)
  if (flags['password-stdin']) return withRightLength(await readSecret(io, { ...asking, fromStdin: true }))
  const given = await givenSecret(io, VARIABLE)
  if (given !== undefined) return withRightLength(given)
  const typed = withRightLength(await readSecret(io, asking))
  if ((await readSecret(io, { ...asking, question: `${asking.question}, again` })) === typed) return typed
  throw new CliError({
    code: 'passwords_differ',
    message: 'The two passwords differ, and nothing was done.',
    hint: 'Type it again.',
    exit: EXIT.usage,
  })
}

/** Fails where {@link chosenPassword} would without asking anybody. */
export async function checkChosenPassword(io: RunIo, username: string, flags: ChosenPasswordFlags): Promise<void> {
  const isGiven = flags['password-stdin'] || (await givenSecret(io, VARIABLE)) !== undefined
  if (isGiven || !canAsk(io, flags['no-input'])) await chosenPassword(io, username, flags)
}

function requestOf(username: string, flags: ChosenPasswordFlags) {
  return {
    variable: VARIABLE,
    question: `New password of ${printable(username)}`,
    noInput: flags['no-input'],
    otherwise: 'Or --password-stdin.',
  }
}

function withRightLength(password: string): string {
  const { minPasswordLength: shortest, passwordLength: longest } = LIMITS
  if (password.length >= shortest && password.length <= longest) return password
  throw usageError(`The new password must have ${shortest} to ${longest} characters.`, 'Choose another one.')
}
