import type * as Sqlite from 'node:sqlite'
import { StorageError, type StorageErrorCode } from '../errors.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `@fish-crab/server needs Node 22.19 or later; this is Node ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org.',
  )
}

// No import: an older Node fails on that before any code could say what is needed.
const sqlite = process.getBuiltinModule('node:sqlite')

/** As in `node:sqlite`. */
export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite.DatabaseSync
export type DatabaseSync = Sqlite.DatabaseSync
/** As in `node:sqlite`. */
export const backup: typeof Sqlite.backup = sqlite.backup

interface Advice {
  readonly code: StorageErrorCode
  readonly message: (folder: string) => string
}

const FULL: Advice = {
  code: 'full',
  message: (folder) => `The disk of ${folder} is full. Free some space; nothing was lost.`,
}
const READ_ONLY: Advice = {
  code: 'read_only',
  message: (folder) => `There is no permission to write in ${folder}, or to reach it. Check owner and mode.`,
}
const NOT_A_STORE: Advice = {
  code: 'not_a_store',
  message: (folder) => `The data file in ${folder} is damaged or not a store. Restore a backup.`,
}
const NO_FOLDER: Advice = {
  code: 'not_a_store',
  message: (folder) =>
    `There can be no data in ${folder}: a file stands where a folder should be. Name another folder.`,
}
const NO_FILE: Advice = {
  code: 'not_a_store',
  message: (folder) =>
    `There can be no data in ${folder}: a folder stands where a file should be. Name another folder.`,
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
  ['EEXIST', NO_FOLDER],
  ['ENOTDIR', NO_FOLDER],
  ['EISDIR', NO_FILE],
])

/** SQLite's primary result code of an error that came from it. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined
  return error.errcode & 0xff
}

/**
 * The error of the storage for one of SQLite or the system, which becomes its cause.
 * @param folder for the message
 */
export function toStorageError(error: unknown, folder = 'the data folder'): StorageError {
  if (error instanceof StorageError) return error
  const systemCode = error instanceof Error && 'code' in error ? error.code : undefined
  const advice = ADVICE.get(sqliteCode(error) ?? systemCode)
  if (advice) return new StorageError(advice.code, advice.message(folder), { cause: error })
  const reason = error instanceof Error ? error.message : 'unknown reason'
  return new StorageError('unavailable', `The storage failed: ${reason}. Nothing was stored.`, { cause: error })
}
