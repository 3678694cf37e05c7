import { readFile } from 'node:fs/promises'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { Io } from '../core/io.ts'

/** A secret that a command needs. */
export interface SecretRequest {
  /** The environment variable; the same name with `_FILE` may point to a file that holds the secret. */
  readonly variable: string
  /** What to ask a person for. */
  readonly question: string
  /** Another way, said where there is nobody to ask. */
  readonly otherwise?: string | undefined
  /** Whether nobody may be asked. */
  readonly noInput?: boolean | undefined
  /** Whether it comes from stdin, and from nowhere else. */
  readonly fromStdin?: boolean | undefined
}

/** A secret from the environment or a file, else from a person at a terminal. It is never an argument. */
export async function readSecret(io: Io, request: SecretRequest): Promise<string> {
  const { variable, question, otherwise, noInput, fromStdin } = request
  if (fromStdin) return secretFromStdin(io, question)
  const given = await givenSecret(io, variable)
  if (given !== undefined) return given
  if (canAsk(io, noInput)) {
    // Loaded when somebody is asked: reading lines takes long to load.
    const { askSecret } = await import('./prompt.ts')
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

/** Whether there is a person to ask for a secret. */
export function canAsk({ stdin, stderr }: Io, noInput: boolean | undefined): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true
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

// Longer than any secret, and short enough not to fill the memory with a file that was meant for something else.
const LARGEST_SECRET = 64 * 1024

/** All of stdin, without the end of its line: what a password manager prints. */
async function secretFromStdin({ stdin, interrupted }: Io, question: string): Promise<string> {
  if (stdin.isTTY) throw noSecretOnStdin('stdin is a terminal.', 'Leave --password-stdin out to be asked.')
  const { signal, text } = await textOf(stdin, interrupted())
  signal.throwIfAborted()
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw noSecretOnStdin('stdin is empty.', `Needed there: ${question}.`)
  if (secret.length > LARGEST_SECRET || /[\r\n]/.test(secret)) {
    throw noSecretOnStdin('stdin holds more than one line.', 'Give the password alone.')
  }
  return secret
}

async function textOf(stdin: Io['stdin'], signal: AbortSignal): Promise<{ signal: AbortSignal; text: string }> {
  const pieces: Buffer[] = []
  let length = 0
  const stop = () => stdin.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const piece of stdin) {
      pieces.push(Buffer.from(piece))
      length += pieces.at(-1)?.length ?? 0
      if (length > LARGEST_SECRET + 2) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return { signal, text: Buffer.concat(pieces).toString('utf8') }
}

function noSecretOnStdin(message: string, hint: string): CliError {
  return new CliError({ code: 'missing_credentials', message, hint, exit: EXIT.credentials })
}
