import { StorageError, type StorageErrorCode } from '../errors.ts'

interface Advice {
  readonly matches: RegExp
  readonly code: StorageErrorCode
  readonly message: string
}

const REPLICA: Advice = {
  matches: /\bREADONLY\b/,
  code: 'read_only',
  message: 'This Redis is a replica that cannot be written. Name its primary in FISH_STORAGE.',
}

// Error codes of Redis stand first in its messages; those of a script stand behind the script's own words.
const ADVICE: readonly Advice[] = [
  {
    matches: /\bOOM\b|No space left/,
    code: 'full',
    message: 'Redis is full. Raise maxmemory or free some space; nothing that was acknowledged is lost.',
  },
  REPLICA,
  {
    matches: /\bNOREPLICAS\b/,
    code: 'unavailable',
    message: 'Redis takes no writes without its replicas (min-replicas-to-write). It may be sent again.',
  },
  {
    matches: /\bWRONGTYPE\b/,
    code: 'not_a_store',
    message: 'Keys that begin with "fish:" belong to another application. Use another Redis database.',
  },
  {
    matches: /\b(?:NOAUTH|WRONGPASS)\b|invalid password/,
    code: 'unavailable',
    message: 'Redis refused the login. Check user and password in FISH_STORAGE.',
  },
  {
    matches: /\bNOPERM\b|^ERR The user executing the script can't/,
    code: 'unavailable',
    message: 'The Redis user lacks permissions. It needs all commands on keys that begin with "fish:".',
  },
  {
    matches: /DB index is out of range/,
    code: 'unavailable',
    message: 'Redis has no database of this number. Change the number at the end of FISH_STORAGE.',
  },
]

/** The refusal of a replica, for who finds that it is one before it refuses a write. */
export function replicaRefusal(): StorageError {
  return new StorageError(REPLICA.code, REPLICA.message)
}

// What the client says of a connection that ended, in words about itself.
const ENDED = /isn't writeable|max retries per request|^Connection is closed|^Failed to refresh slots cache/

/** Whether an error of the client says why its connection fails, and not only that it does. */
export function tellsWhy(error: unknown): boolean {
  return error instanceof Error && !ENDED.test(error.message)
}

/**
 * What may be shown of an error of the client. The client's own errors hold the command with its arguments, the login
 * with the password among them; and Redis repeats the arguments of a command that it does not know.
 */
function presentable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('unknown reason')
  const message = tellsWhy(error)
    ? error.message.replace(/, with args beginning with.*/s, '')
    : 'there is no connection'
  const shown = new Error(message)
  shown.name = error.name
  return 'code' in error && typeof error.code === 'string' ? Object.assign(shown, { code: error.code }) : shown
}

/**
 * Names what went wrong below and says what to do.
 *
 * @param connection what the connection is suffering from: it explains more than the error of a single command
 */
export function toStorageError(error: unknown, connection?: unknown): StorageError {
  if (error instanceof StorageError) return error
  // What Redis itself answers needs no other explanation.
  const isReply = error instanceof Error && error.name === 'ReplyError'
  const trouble = isReply ? undefined : connection
  for (const each of [error, trouble]) {
    if (!(each instanceof Error)) continue
    const advice = ADVICE.find(({ matches }) => matches.test(each.message))
    if (advice) return new StorageError(advice.code, advice.message, { cause: presentable(each) })
  }
  const cause = presentable(trouble ?? error)
  const failing = isReply ? 'Redis refused' : 'Redis is out of reach'
  const message = `${failing}: ${cause.message.replace(/\.$/, '')}. What was not acknowledged may be sent again.`
  return new StorageError('unavailable', message, { cause })
}
