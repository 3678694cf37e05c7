import { CliError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'
import { printable } from '../output/printable.ts'
import type { RunIo } from '../run-io.ts'
import { givenSecret, readSecret } from '../secrets/read-secret.ts'

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
 * @throws CliError `missing_credentials`, or `passwords_differ`
 */
export async function chosenPassword(io: RunIo, username: string, flags: ChosenPasswordFlags): Promise<string> {
  const question = `New password of ${printable(username)}`
  const asking = { variable: VARIABLE, noInput: flags['no-input'], otherwise: 'Or --password-stdin.' }
  if (flags['password-stdin']) return readSecret(io, { ...asking, question, fromStdin: true })
  const given = await givenSecret(io, VARIABLE)
  if (given !== undefined) return given
  const typed = await readSecret(io, { ...asking, question })
  if ((await readSecret(io, { ...asking, question: `${question}, again` })) === typed) return typed
  throw new CliError({
    code: 'passwords_differ',
    message: 'The two passwords differ, and nothing was done.',
    hint: 'Type it again.',
    exit: EXIT.usage,
  })
}
