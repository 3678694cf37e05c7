import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ACCOUNT_LIMITS } from '@fish-crab/sdk/constants'
import { decodeTextFile } from '../config/files.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { canPrompt, promptLine } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export interface SecretRequest {
  /**
   * The environment variable. A variable of this name with the suffix `_FILE` may contain the path of a file with the
   * secret.
   */
  readonly variable: string
  readonly question: string
  /** An alternative to typing the secret. The prompt shows the alternative after the question. */
  readonly orElse?: string
  /** An alternative to the environment variable. The hint of the error suggests the alternative. */
  readonly alternative?: string | undefined
  readonly noInput?: boolean | undefined
  readonly fromStdin?: boolean | undefined
}

export async function readSecret(context: Context, request: SecretRequest): Promise<string> {
  const { variable, question, orElse = '', alternative, noInput, fromStdin } = request
  if (fromStdin) return secretFromStdin(context, question)
  const given = await secretFromEnv(context, variable)
  if (given !== undefined) return given
  if (canPrompt(context, noInput)) {
    const typed = await promptLine(context, { question: `${question}${orElse}: `, isSecret: true })
    if (typed) return typed
  }
  throw new CliError({
    code: 'missing_credentials',
    message: `The ${question.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} is missing.`,
    hint: `Set ${variable}, or set ${variable}_FILE to the path of a file that contains it.${alternative ? ` ${alternative}` : ''}`,
    exit: EXIT.credentials,
  })
}

/** Reads a variable, or the file that `<variable>_FILE` names. An empty variable counts as unset. */
export async function secretFromEnv({ env }: Context, variable: string): Promise<string | undefined> {
  if (env[variable]) return env[variable]
  const path = env[`${variable}_FILE`]
  if (!path) return undefined
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CliError({
      code: 'unreadable_secret_file',
      message: `The file in ${variable}_FILE cannot be read (${error.code ?? error.name}).`,
      hint: 'Check the path and the permissions of the file.',
      exit: EXIT.credentials,
    })
  })
  return decodeTextFile(content, `The file in ${variable}_FILE`) || undefined
}

/** Reads stdin to its end, without the final line end that password managers print. */
async function secretFromStdin({ stdin, interrupted }: Context, question: string): Promise<string> {
  if (stdin.isTTY)
    throw noSecretOnStdin(
      '--password-stdin needs a pipe, but stdin is a terminal.',
      'Leave --password-stdin out to be prompted.',
    )
  const signal = interrupted()
  const content = await text(addAbortSignal(signal, stdin)).catch((error) => {
    signal.throwIfAborted()
    throw error
  })
  const secret = content.replace(/\r?\n$/, '')
  if (secret === '') throw noSecretOnStdin('stdin is empty.', `Expected: ${question}.`)
  if (/[\r\n]/.test(secret)) {
    throw noSecretOnStdin('stdin has more than one line.', 'Pass only the password.')
  }
  return secret
}

function noSecretOnStdin(message: string, hint: string): CliError {
  return new CliError({ code: 'missing_credentials', message, hint, exit: EXIT.credentials })
}

const VARIABLE = 'FISH_NEW_ADMIN_PASSWORD'

export async function readNewPassword(
  context: Context,
  username: string,
  flags: Partial<Record<'no-input' | 'password-stdin', boolean>>,
): Promise<string> {
  const request: SecretRequest = {
    variable: VARIABLE,
    question: `New password of ${printable(username)}`,
    alternative: 'Or use --password-stdin.',
    noInput: flags['no-input'],
    fromStdin: flags['password-stdin'],
  }
  const password = await readSecret(context, request)
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (password.length < shortest || password.length > longest) {
    throw usageError(`The new password must have ${shortest} to ${longest} characters.`, 'Choose another password.')
  }
  if (flags['password-stdin'] || (await secretFromEnv(context, VARIABLE)) !== undefined) return password
  if ((await readSecret(context, { ...request, question: `${request.question}, again` })) === password) return password
  throw new CliError({
    code: 'passwords_differ',
    message: 'The passwords differ; nothing was changed.',
    hint: 'Try again.',
    exit: EXIT.usage,
  })
}
