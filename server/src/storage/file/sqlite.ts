import type * as Sqlite from 'node:sqlite'
import { type FileProblem, fileProblem } from '../../../../sdk/src/internal/sqlite.node.ts'
import { StorageError, type StorageErrorCode } from '../core/errors.ts'
import { requireNode } from '../core/require-node.ts'

requireNode('@fish-crab/server')

// A static import would fail on older Node versions before `requireNode` could report a clear error.
const sqlite = process.getBuiltinModule('node:sqlite')

export type DatabaseSync = Sqlite.DatabaseSync
export type SqlValue = Sqlite.SQLOutputValue

const BUSY_TIMEOUT_MS = 5000

/**
 * Opens a database, and by default waits up to 5 s for locks: SQLite locks a file for a moment whenever another program
 * opens or closes the file.
 */
export function openDatabase(file: string | URL, options: Sqlite.DatabaseSyncOptions = {}): DatabaseSync {
  return new sqlite.DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, ...options })
}

/** The error of writes for which the disk has no space. */
export function fullError(folder: string, cause?: unknown): StorageError {
  return new StorageError('full', `The disk of ${folder} is full.`, {
    hint: 'Free some space; nothing was lost.',
    cause,
  })
}

type Advice = readonly [code: StorageErrorCode, problem: (folder: string) => string, hint: string]

const ADVICE: Partial<Readonly<Record<FileProblem, Advice>>> = {
  'read-only': ['read_only', (folder) => `Permission denied: cannot write to ${folder}.`, 'Check owner and mode.'],
  damaged: ['not_a_store', (folder) => `The data file in ${folder} is damaged or not a store.`, 'Restore a backup.'],
  'file-in-the-way': [
    'not_a_store',
    (folder) => `Cannot store data in ${folder}: a file is where a folder should be.`,
    'Name another folder.',
  ],
  'folder-in-the-way': [
    'not_a_store',
    (folder) => `Cannot store data in ${folder}: a folder is where a file should be.`,
    'Name another folder.',
  ],
}

/** Converts an error of SQLite or the system to a `StorageError`. The given error becomes its cause. */
export function toStorageError(error: unknown, folder = 'the data folder'): StorageError {
  if (error instanceof StorageError) return error
  const problem = fileProblem(error)
  if (problem === 'full') return fullError(folder, error)
  const advice = problem && ADVICE[problem]
  if (advice) {
    const [code, problemIn, hint] = advice
    return new StorageError(code, problemIn(folder), { hint, cause: error })
  }
  const reason = error instanceof Error ? error.message : 'unknown reason'
  return new StorageError('unavailable', `The storage failed: ${reason}. Nothing was stored.`, { cause: error })
}
