import { readFile } from 'node:fs/promises'
import { LIMITS } from '@fish-crab/sdk/constants'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { promptSecret } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

/** A secret that a command needs. */
export interface SecretRequest {
  /** The environment variable; the same name with `_FILE` may point to a file that holds the secret. */
  readonly variable: string
  /** What to ask a person for. */
  readonly question: string
  /** Another way, said where there is nobody to ask. */
  readonly alternative?: string | undefined
  /** Whether nobody may be asked. */
  readonly noInput?: boolean | undefined
  /** Whether it comes from stdin, and from nowhere else. */
  readonly fromStdin?: boolean | undefined
}

/** A secret from the environment or a file, else from a person at a terminal. It is never an argument. */
export async function readSecret(context: Context, request: SecretRequest): Promise<string> {
  const { variable, question, alternative, noInput, fromStdin } = request
  if (fromStdin) return secretFromStdin(context, question)
  const given = await secretFromEnv(context, variable)
  if (given !== undefined) return given
  if (canPrompt(context, noInput)) {
    const answer = await promptSecret(context, question)
    if (answer !== '') return answer
  }
  throw new CliError({
    code: 'missing_credentials',
    message: `Needed: ${question}.`,
    hint: `Set ${variable}, or ${variable}_FILE to the path of a file that holds it.${alternative ? ` ${alternative}` : ''}`,
    exit: EXIT.credentials,
  })
}

/** Whether there is a person to ask for a secret. */
export function canPrompt({ stdin, stderr }: Context, noInput: boolean | undefined): boolean {
  return !noInput && stdin.isTTY === true && stderr.isTTY === true
}

/** A secret that was given by environment or file, if it was. Empty counts as not given. */
export async function secretFromEnv({ env }: Context, variable: string): Promise<string | undefined> {
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
async function secretFromStdin({ stdin, interrupted }: Context, question: string): Promise<string> {
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

async function textOf(stdin: Context['stdin'], signal: AbortSignal): Promise<{ signal: AbortSignal; text: string }> {
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

const VARIABLE = 'FISH_NEW_ADMIN_PASSWORD'

/** From where the password of a new administrator may come. */
interface NewPasswordFlags {
  readonly 'no-input'?: boolean | undefined
  readonly 'password-stdin'?: boolean | undefined
}

/**
 * The password that a new administrator gets: from stdin, the environment or a file, else from a person, who types it
 * twice, since nobody sees it.
 *
 * @throws CliError `missing_credentials`, `passwords_differ`, or `usage` for one of a wrong length
 */
export async function readNewPassword(context: Context, username: string, flags: NewPasswordFlags): Promise<string> {
  const asking = requestOf(username, flags)
  if (flags['password-stdin']) return withRightLength(await readSecret(context, { ...asking, fromStdin: true }))
  const given = await secretFromEnv(context, VARIABLE)
  if (given !== undefined) return withRightLength(given)
  const typed = withRightLength(await readSecret(context, asking))
  if ((await readSecret(context, { ...asking, question: `${asking.question}, again` })) === typed) return typed
  throw new CliError({
    code: 'passwords_differ',
    message: 'The two passwords differ, and nothing was done.',
    hint: 'Type it again.',
    exit: EXIT.usage,
  })
}

/** Fails where {@link readNewPassword} would without asking anybody. */
export async function checkNewPassword(context: Context, username: string, flags: NewPasswordFlags): Promise<void> {
  const isGiven = flags['password-stdin'] || (await secretFromEnv(context, VARIABLE)) !== undefined
  if (isGiven || !canPrompt(context, flags['no-input'])) await readNewPassword(context, username, flags)
}

function requestOf(username: string, flags: NewPasswordFlags) {
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
