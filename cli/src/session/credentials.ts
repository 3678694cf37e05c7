import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ACCOUNT_LIMITS, userNameKey } from '@fish-crab/sdk/constants'
import { commandLine } from '../core/argv.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { isSameService } from '../core/parse-values.ts'
import type { Env } from '../core/system.ts'
import { decodeTextFile } from './files.ts'
import type { ProfileSecrets } from './secret-store.ts'
import type { Session } from './session.ts'
import { serviceWords } from './target.ts'

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
  readonly fromStdin?: boolean | undefined
}

export type PromptOptions = Pick<SecretRequest, 'alternative' | 'fromStdin'>

export async function readSecret(session: Session, request: SecretRequest): Promise<string> {
  const { variable, question, orElse = '', alternative, fromStdin } = request
  if (fromStdin) return secretFromStdin(session, question)
  const given = await session.secretFromEnv(variable)
  if (given !== undefined) return given
  const { terminal } = session
  const typed = terminal.canPrompt ? await terminal.promptSecret(`${question}${orElse}: `) : undefined
  if (typed) return typed
  throw new CliError({
    code: 'missing_credentials',
    message: `The ${question.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} is missing.`,
    hint: `Set ${variable}, or set ${variable}_FILE to the path of a file that contains it.${alternative ? ` ${alternative}` : ''}`,
    exit: EXIT.credentials,
  })
}

/** Reads a variable, or the file that `<variable>_FILE` names. An empty variable counts as unset. */
export async function secretFromEnv(env: Env, variable: string): Promise<string | undefined> {
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
async function secretFromStdin(session: Session, question: string): Promise<string> {
  const { stdin } = session.system
  if (stdin.isTTY)
    throw noSecretOnStdin(
      '--password-stdin needs a pipe, but stdin is a terminal.',
      'Leave --password-stdin out to be prompted.',
    )
  const { signal } = session
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

/**
 * Reads the key from FISH_KEY, otherwise from the secrets that `login` stored for this player, otherwise from a prompt.
 */
export async function readPlayerKey(session: Session, user: string): Promise<string> {
  const key = await findPlayerKey(session, user)
  if (key !== undefined) return key
  const { profile } = session.target
  const login = commandLine('login', user, ...serviceWords(session.target))
  const isElsewhere = profile?.secrets !== undefined && !isSameService(profile.url, session.url)
  const elsewhere = isElsewhere ? `The key of profile ${profile.name} works only at ${profile.url}. ` : ''
  return readSecret(session, {
    variable: 'FISH_KEY',
    question: `Key of ${user}`,
    orElse: ` (or press Ctrl-C and log in: ${login})`,
    alternative: `${elsewhere}Or log in: ${login}`,
  })
}

/**
 * Returns the key from FISH_KEY, otherwise the stored key of this player.
 * @param reread as in {@link Session.secrets}
 */
export async function findPlayerKey(session: Session, user: string, reread = false): Promise<string | undefined> {
  const key = reread ? secretFromEnv(session.env, 'FISH_KEY') : session.secretFromEnv('FISH_KEY')
  return (await key) ?? keyOf(await session.secrets({ reread }), user)
}

/** Returns the stored key if it belongs to the player. */
export function keyOf(secrets: ProfileSecrets | undefined, user: string): string | undefined {
  const isOwn = secrets?.user !== undefined && userNameKey(secrets.user) === userNameKey(user)
  return isOwn ? secrets.fernetKey : undefined
}

export function readPlayerPassword(session: Session, user: string, prompt: PromptOptions = {}): Promise<string> {
  return readSecret(session, { variable: 'FISH_PASSWORD', question: `Password of ${user}`, ...prompt })
}

const VARIABLE = 'FISH_NEW_PASSWORD'

export async function readNewPassword(session: Session, username: string, fromStdin: boolean): Promise<string> {
  const request: SecretRequest = {
    variable: VARIABLE,
    question: `New password of ${username}`,
    alternative: 'Or use --password-stdin.',
    fromStdin,
  }
  const password = await readSecret(session, request)
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (password.length < shortest || password.length > longest) {
    throw usageError(`The new password must have ${shortest} to ${longest} characters.`, 'Choose another password.')
  }
  if (fromStdin || (await session.secretFromEnv(VARIABLE)) !== undefined) return password
  if ((await readSecret(session, { ...request, question: `${request.question}, again` })) === password) return password
  throw new CliError({
    code: 'passwords_differ',
    message: 'The passwords differ; nothing was changed.',
    hint: 'Try again.',
    exit: EXIT.usage,
  })
}
