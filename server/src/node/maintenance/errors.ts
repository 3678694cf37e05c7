import { DecryptionError } from '../../app/users/encryption.ts'
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts'
import { toStorageError } from '../../storage/file/sqlite.ts'
import { ConfigError } from '../config.ts'
import { SecretsError } from '../secrets-file.ts'

/**
 * Why maintenance was refused or failed: a code of the storage, or
 *
 * - `no_store`: there is no store at the given path
 * - `no_admin`: there is no administrator of this name
 * - `exists`: something would have been overwritten; it was left as it is
 * - `older_schema`: the store was not opened by this version yet
 * - `damaged`: a check of the content failed
 * - `wrong_secret`, `missing_secret`: the data needs another `FISH_SECRET`, or one at all
 * - `invalid_settings`: a setting is wrong; the message has one line for each
 * - `invalid_path`: a path is empty or too long, or leads to something of the wrong kind
 * - `invalid_line`: a line of an export is invalid
 * - `interrupted`: the given signal aborted the work; the message says what is left
 */
export type MaintenanceErrorCode =
  | StorageErrorCode
  | 'no_store'
  | 'no_admin'
  | 'exists'
  | 'older_schema'
  | 'damaged'
  | 'wrong_secret'
  | 'missing_secret'
  | 'invalid_settings'
  | 'invalid_path'
  | 'invalid_line'
  | 'interrupted'

interface MaintenanceErrorOptions {
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/** The one error of the maintenance functions. Its message quotes no secret. */
export class MaintenanceError extends Error {
  override readonly name = 'MaintenanceError'
  readonly code: MaintenanceErrorCode
  /** The next step to take, as a sentence. */
  readonly hint: string | undefined

  constructor(code: MaintenanceErrorCode, message: string, { hint, cause }: MaintenanceErrorOptions = {}) {
    super(message, { cause })
    this.code = code
    this.hint = hint
  }
}

interface Interruption {
  readonly signal: AbortSignal | undefined
  /** What is left of the work, as a sentence. */
  readonly state: string
  /** @default 'Run it again.' */
  readonly hint?: string
}

/** Runs maintenance. Whatever it throws becomes a {@link MaintenanceError}, except mistakes of this program. */
export async function maintain<Result>(run: () => Promise<Result>, interruption?: Interruption): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const { signal, state, hint = 'Run it again.' } = interruption ?? {}
    if (!signal?.aborted || error !== signal.reason) throw toMaintenanceError(error)
    throw new MaintenanceError('interrupted', `Interrupted. ${state}`, { hint, cause: error })
  }
}

export function tooLong(path: string, cause?: unknown): MaintenanceError {
  return new MaintenanceError('invalid_path', `${path} is too long.`, { hint: 'Choose a shorter name.', cause })
}

function toMaintenanceError(error: unknown): unknown {
  if (error instanceof MaintenanceError || !(error instanceof Error)) return error
  const cause = { cause: error }
  if (error instanceof ConfigError) return new MaintenanceError('invalid_settings', error.message, cause)
  if (error instanceof SecretsError) return new MaintenanceError('damaged', error.message, cause)
  if (error instanceof StorageError) return fromStorage(error)
  if (error instanceof DecryptionError) {
    return new MaintenanceError('wrong_secret', 'FISH_SECRET is not the secret that this data is encrypted with.', {
      hint: 'Set the right one, also as FISH_SECRET_PREVIOUS. Nothing was changed.',
      ...cause,
    })
  }
  return fromSystem(error)
}

// The last sentence of other codes is not a step to take, or only a part of one.
const ENDS_WITH_STEP: ReadonlySet<StorageErrorCode> = new Set(['in_use', 'read_only'])

/** The messages of a storage end with the next step, which is the hint here. */
function fromStorage(error: StorageError): MaintenanceError {
  const { code, message } = error
  const [, what = message, hint] = (ENDS_WITH_STEP.has(code) && /^(.*\.) (\S.*)$/s.exec(message)) || []
  return new MaintenanceError(code, what, { hint, cause: error })
}

/** Errors of files and of SQLite; others are mistakes of this program. */
function fromSystem(error: NodeJS.ErrnoException): unknown {
  const { code, path } = error
  const isSqlite = code === 'ERR_SQLITE_ERROR'
  if (!isSqlite && error.syscall === undefined) return error
  const options = { cause: error }
  const known = toStorageError(error)
  const at = path ?? 'the folder'
  if (known.code === 'full') {
    return new MaintenanceError('full', 'The disk is full. Everything unfinished was removed.', options)
  }
  if (known.code === 'read_only') return new MaintenanceError('read_only', `Permission denied: ${at}.`, options)
  if (code === 'ENAMETOOLONG') return tooLong(at, error)
  if (code === 'ENOENT') return new MaintenanceError('no_store', `${at} does not exist.`, options)
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') {
    return new MaintenanceError('exists', `Something is in the way at ${at}.`, options)
  }
  return new MaintenanceError(known.code, isSqlite ? known.message : `${at} does not work (${code}).`, options)
}
