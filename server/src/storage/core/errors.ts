/** The reason why a storage refused or failed an operation. */
export type StorageErrorCode =
  /** Another process, or this process, has the folder open. */
  | 'in_use'
  /** A newer version of this service wrote the store. */
  | 'newer_schema'
  /** The file is not a store, or the path cannot contain a store. Nothing was changed. */
  | 'not_a_store'
  /** The store is incomplete: a copy into it has not finished. */
  | 'unfinished'
  /** The store was emptied or replaced after it was opened. */
  | 'replaced'
  /** The file is damaged, missing, lacks acknowledged writes, or does not match its log. Nothing was changed. */
  | 'damaged'
  /** The folder, file or server cannot be written. */
  | 'read_only'
  /** The disk or the memory of Redis is full. */
  | 'full'
  /** `invalid_key` and `invalid_value`: an argument is invalid. Nothing was stored. */
  | 'invalid_key'
  | 'invalid_value'
  /** The storage was disposed. */
  | 'closed'
  /** Any other problem that keeps the storage from working. */
  | 'unavailable'

/**
 * The only error class that storages throw. The message contains the problem and the hint. The error of the driver, if
 * any, is the `cause`.
 *
 * @example if (error instanceof StorageError && error.code === 'in_use') process.exitCode = 1
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** The kind of problem. */
  readonly code: StorageErrorCode
  /** The problem, as a sentence. */
  readonly problem: string
  /** The next step to take, as a sentence. */
  readonly hint: string | undefined

  constructor(code: StorageErrorCode, problem: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    const { hint, ...rest } = options
    super(hint === undefined ? problem : `${problem} ${hint}`, rest)
    this.code = code
    this.problem = problem
    this.hint = hint
  }
}

export function closedError(): StorageError {
  return new StorageError('closed', 'The storage was closed.', { hint: 'Open it again with createStorage().' })
}

export function replacedError(): StorageError {
  return new StorageError(
    'replaced',
    'The storage no longer holds the store that this server started with: it was emptied or replaced.',
    { hint: 'Restore the data, or restart all servers to use the current store.' },
  )
}
