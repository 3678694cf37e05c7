import { DecryptionError } from '../../app/users/encryption.ts'
import { StorageError, type StorageErrorCode } from '../../storage/errors.ts'
import { toStorageError } from '../../storage/file/sqlite.ts'
import { ConfigError } from '../config.ts'
import { SecretsError } from '../secrets-file.ts'

/**
 * Why maintenance was refused or failed: what a storage may say, or
 *
 * - `no_store`: there is no store where one was named
 * - `no_admin`: there is no administrator of the name
 * - `exists`: what would be written over exists, and was left as it is
 * - `older_schema`: the store was not opened by this version yet
 * - `damaged`: a check of the content failed
 * - `wrong_secret`, `missing_secret`: the data needs another, or any, `FISH_SECRET`
 * - `invalid_settings`: a setting is wrong; the message has one line for each
 * - `invalid_path`: a path is empty or too long, or what it leads to is of the wrong kind
 * - `invalid_line`: a line of an export is not one
 * - `interrupted`: the signal that was given said so; the message says what stands where
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

/** The one error of backing up, restoring and moving. Its message says what happened and quotes no secret. */
export class MaintenanceError extends Error {
  override readonly name = 'MaintenanceError'
  readonly code: MaintenanceErrorCode
  /** The next step to take, as a sentence. */
  readonly hint: string | undefined

  constructor(code: MaintenanceErrorCode, message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
    this.hint = hint
  }
}

/** Runs a piece of maintenance; what storages, files and seals throw becomes a {@link MaintenanceError}. */
export async function maintain<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw toMaintenanceError(error)
  }
}

/** Tells an interruption in words, for `catch`. Any other error stays what it is. */
export function tellInterruption(signal: AbortSignal | undefined, message: string, hint: string) {
  return (error: unknown): never => {
    if (!signal?.aborted || error !== signal.reason) throw error
    throw new MaintenanceError('interrupted', `Interrupted. ${message}`, { hint, cause: error })
  }
}

/** A name, or a whole path, of more bytes than the system takes. */
export function tooLong(path: string, cause?: unknown): MaintenanceError {
  return new MaintenanceError('invalid_path', `${path} is too long.`, { hint: 'Choose a shorter name.', cause })
}

function toMaintenanceError(error: unknown): unknown {
  if (error instanceof MaintenanceError || !(error instanceof Error)) return error
  const cause = { cause: error }
  if (error instanceof ConfigError) return new MaintenanceError('invalid_settings', error.message, cause)
  if (error instanceof SecretsError) return new MaintenanceError('damaged', error.message, cause)
  if (error instanceof StorageError) return ofStorage(error)
  if (error instanceof DecryptionError) {
    return new MaintenanceError('wrong_secret', 'FISH_SECRET is not the secret that this data was sealed with.', {
      hint: 'Give the right one, also as FISH_SECRET_PREVIOUS. Nothing was changed.',
      ...cause,
    })
  }
  return ofSystem(error)
}

// Elsewhere the last sentence is no step to take, or only a part of what to know.
const ENDS_WITH_STEP: ReadonlySet<StorageErrorCode> = new Set(['in_use', 'read_only'])

/** A storage says what to do at the end of its message; here that is the hint. */
function ofStorage(error: StorageError): MaintenanceError {
  const { code, message } = error
  const [, what, hint] = (ENDS_WITH_STEP.has(code) && /^(.*\.) (\S.*)$/s.exec(message)) || []
  if (what === undefined || hint === undefined) return new MaintenanceError(code, message, { cause: error })
  return new MaintenanceError(code, what, { hint, cause: error })
}

const PLACE_FULL = 'There is no space left on the disk. Nothing was kept of what was begun.'

/** Errors of files and of SQLite. What is neither is a mistake of this program and stays what it is. */
function ofSystem(error: NodeJS.ErrnoException): unknown {
  const { code, path } = error
  const isSqlite = code === 'ERR_SQLITE_ERROR'
  if (!isSqlite && error.syscall === undefined) return error
  const options = { cause: error }
  const known = toStorageError(error)
  const at = path ?? 'the folder'
  if (known.code === 'full') return new MaintenanceError('full', PLACE_FULL, options)
  if (known.code === 'read_only') return new MaintenanceError('read_only', `There is no permission for ${at}.`, options)
  if (code === 'ENAMETOOLONG') return tooLong(at, error)
  if (code === 'ENOENT') return new MaintenanceError('no_store', `There is no ${at}.`, options)
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') {
    return new MaintenanceError('exists', `Something is in the way at ${at}.`, options)
  }
  return new MaintenanceError(known.code, isSqlite ? known.message : `${at} does not work (${code}).`, options)
}
