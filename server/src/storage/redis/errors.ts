import { StorageError, type StorageErrorCode } from '../core/errors.ts'

type Advice = {
  readonly matches: RegExp
  readonly code: StorageErrorCode
  readonly problem: string
  readonly hint?: string
}

export const REPLICA: Advice = {
  matches: /\bREADONLY\b/,
  code: 'read_only',
  problem: 'This Redis is a replica.',
  hint: 'Name its primary in FISH_STORAGE.',
}

const NO_PERMISSION: Advice = {
  matches: /\bNOPERM\b|^ERR The user executing the script can't/,
  code: 'unavailable',
  problem: 'The Redis user lacks permissions.',
  hint: 'It needs all commands on keys that begin with "fish:".',
}

// Redis starts a message with the error code; a script may prepend its own text.
const ADVICE: readonly Advice[] = [
  {
    matches: /\bOOM\b|No space left/,
    code: 'full',
    problem: 'Redis is full.',
    hint: 'Raise maxmemory or free some space; nothing that was acknowledged is lost.',
  },
  REPLICA,
  {
    matches: /\bNOREPLICAS\b/,
    code: 'unavailable',
    problem: 'Redis rejects writes while too few replicas are connected (min-replicas-to-write).',
  },
  {
    matches: /\bWRONGTYPE\b/,
    code: 'not_a_store',
    problem: 'Keys that begin with "fish:" belong to another application.',
    hint: 'Use another Redis database.',
  },
  {
    matches: /\b(?:NOAUTH|WRONGPASS)\b|invalid password/,
    code: 'unavailable',
    problem: 'Redis refused the login.',
    hint: 'Check user and password in FISH_STORAGE.',
  },
  NO_PERMISSION,
  {
    matches: /DB index is out of range/,
    code: 'unavailable',
    problem: 'Redis has no database of this number.',
    hint: 'Change the number at the end of FISH_STORAGE.',
  },
]

export function adviceError({ code, problem, hint }: Advice, cause?: Error): StorageError {
  return new StorageError(code, problem, { hint, cause })
}

export function missingCommands(commands: readonly string[]): StorageError {
  const problem = NO_PERMISSION.problem.replace('permissions', `permissions: ${commands.join(', ')}`)
  return adviceError({ ...NO_PERMISSION, problem })
}

// Messages of the client about its connection that contain no cause.
const ENDED = /isn't writeable|max retries per request|^Connection is closed|^Failed to refresh slots cache/

/** Whether an error of the client names the cause of a failed connection. */
export function isSpecific(error: unknown): boolean {
  return error instanceof Error && !ENDED.test(error.message)
}

/**
 * The part of a client error that may be displayed. Client errors contain the command with its arguments, such as the
 * password of a login, and Redis repeats the arguments of an unknown command.
 */
function withoutSecrets(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('unknown reason')
  const message = isSpecific(error)
    ? error.message.replace(/, with args beginning with.*/s, '')
    : 'there is no connection'
  const safe = new Error(message)
  safe.name = error.name
  return 'code' in error && typeof error.code === 'string' ? Object.assign(safe, { code: error.code }) : safe
}

/** @param connection the error of the connection, which explains more than the error of a command */
export function toStorageError(error: unknown, connection?: unknown): StorageError {
  if (error instanceof StorageError) return error
  // An error reply of Redis already contains the cause.
  const isReply = error instanceof Error && error.name === 'ReplyError'
  const connectionError = isReply ? undefined : connection
  for (const each of [error, connectionError]) {
    if (!(each instanceof Error)) continue
    const advice = ADVICE.find(({ matches }) => matches.test(each.message))
    if (advice) return adviceError(advice, withoutSecrets(each))
  }
  const cause = withoutSecrets(connectionError ?? error)
  const failing = isReply ? 'Redis refused' : 'Redis is unreachable'
  return new StorageError('unavailable', `${failing}: ${cause.message.replace(/\.$/, '')}.`, { cause })
}
