import { StorageError, type StorageErrorCode } from '../errors.ts'

interface Advice {
  readonly code: StorageErrorCode
  readonly message: string
}

const FULL: Advice = {
  code: 'full',
  message: 'The disk of the data folder is full. Free some space; nothing was lost.',
}
const READ_ONLY: Advice = { code: 'read_only', message: 'The data folder cannot be written. Check its owner and mode.' }
const NOT_A_STORE: Advice = {
  code: 'not_a_store',
  message: 'The data file is damaged or not a store. Restore a backup.',
}

// Primary result codes of SQLite (https://sqlite.org/rescode.html) and error codes of the system.
const ADVICE = new Map<unknown, Advice>([
  [8, READ_ONLY],
  [11, NOT_A_STORE],
  [13, FULL],
  [26, NOT_A_STORE],
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EROFS', READ_ONLY],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
])

/** SQLite's primary result code of an error that came from it. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/** Names what went wrong below and says what to do; the error itself becomes the cause. */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const systemCode = error instanceof Error && 'code' in error ? error.code : undefined
  const advice = ADVICE.get(sqliteCode(error) ?? systemCode)
  if (advice) return new StorageError(advice.code, advice.message, { cause: error })
  const reason = error instanceof Error ? error.message : 'unknown reason'
  return new StorageError('unavailable', `The storage does not work: ${reason}. Nothing was stored.`, { cause: error })
}
