import { readFile } from 'node:fs/promises'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { askSecret } from './prompt.ts'

/** A secret that a command needs. */
export interface SecretRequest {
  /** The environment variable; the same name with `_FILE` may point to a file that holds the secret. */
  readonly variable: string
  /** What to ask a person for. */
  readonly question: string
  /** Another way, said where there is nobody to ask. */
  readonly otherwise?: string
}

/** A secret from the environment or a file, else from a person at a terminal. It is never an argument. */
export async function readSecret(io: Io, { variable, question, otherwise }: SecretRequest): Promise<string> {
  const given = await givenSecret(io, variable)
  if (given !== undefined) return given
  if (io.stdin.isTTY && io.stderr.isTTY) {
    const answer = await askSecret(io, question)
    if (answer !== '') return answer
  }
  throw new CliError({
    code: 'missing_credentials',
    message: `Needed: ${question}.`,
    hint: `Set ${variable}, or ${variable}_FILE to the path of a file that holds it.${otherwise ? ` ${otherwise}` : ''}`,
    exit: EXIT.credentials,
  })
}

/** A secret that was given by environment or file, if it was. Empty counts as not given. */
export async function givenSecret({ env }: Io, variable: string): Promise<string | undefined> {
  if (env[variable]) return env[variable]
  const path = env[`${variable}_FILE`]
  if (!path) return undefined
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError({
      code: 'unreadable_secret_file',
      message: `The file that ${variable}_FILE points to cannot be read (${error.code ?? error.name}).`,
      hint: 'Check the path and the permissions of the file.',
      exit: EXIT.credentials,
    })
  })
  return content.replace(/\r?\n$/, '') || undefined
}
