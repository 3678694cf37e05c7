/**
 * Why a storage refused or failed.
 *
 * - `in_use`: another process, or this one, has the folder open
 * - `newer_schema`: the file was written by a newer version
 * - `not_a_store`: the file is not a store, or cannot be at this path; nothing was changed
 * - `unfinished`: it contains part of an import that did not finish
 * - `replaced`: it is no longer the store that was opened, but was emptied or replaced
 * - `damaged`: the file is empty, is missing, does not match its log, or lacks acknowledged writes; nothing was changed
 * - `read_only`: the folder or file cannot be written
 * - `full`: no space left
 * - `invalid_key`, `invalid_value`: the caller's mistake; nothing was stored
 * - `closed`: the storage was disposed
 * - `unavailable`: anything else that keeps the storage from working
 */
export type StorageErrorCode =
  | 'in_use'
  | 'newer_schema'
  | 'not_a_store'
  | 'unfinished'
  | 'replaced'
  | 'damaged'
  | 'read_only'
  | 'full'
  | 'invalid_key'
  | 'invalid_value'
  | 'closed'
  | 'unavailable'

/**
 * The one error that storages throw. Its message says what to do; the driver's own error is the `cause`.
 *
 * @example
 * if (error instanceof StorageError && error.code === 'in_use') process.exitCode = 1
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export function closedError(): StorageError {
  return new StorageError('closed', 'The storage was closed. Open it again with createStorage().')
}
