import type { StorageErrorCode } from '../errors.ts'
import type { AppendResult, Collection, NewRecord } from '../types.ts'
import type { FilePragmas } from './file-durability.ts'

/** One write, as it goes to the worker. */
export type Write =
  | { readonly type: 'append'; readonly collection: Collection; readonly record: NewRecord }
  | { readonly type: 'removeRecord'; readonly collection: Collection; readonly id: string }
  | { readonly type: 'removeOwner'; readonly owner: string }
  | { readonly type: 'setItem'; readonly key: string; readonly value: string }
  | { readonly type: 'setItemIfAbsent'; readonly key: string; readonly value: string }
  | { readonly type: 'removeItem'; readonly key: string }
  | { readonly type: 'removeItemIf'; readonly key: string; readonly value: string }
  | { readonly type: 'replaceItemIf'; readonly key: string; readonly expected: string; readonly value: string }
  | { readonly type: 'clearItems'; readonly base: string }
  /** Changes nothing: its answer says that the worker works. */
  | { readonly type: 'ping' }
  /** Writes to the disk without changing anything: its answer says that the disk takes writes. */
  | { readonly type: 'probe' }

/** What each kind of write answers. */
export interface WriteResults {
  readonly append: AppendResult
  readonly removeRecord: boolean
  readonly removeOwner: undefined
  readonly setItem: undefined
  readonly setItemIfAbsent: boolean
  readonly removeItem: undefined
  readonly removeItemIf: boolean
  readonly replaceItemIf: boolean
  readonly clearItems: undefined
  readonly ping: undefined
  readonly probe: undefined
}

/** The answer to any write. */
export type WriteResult = WriteResults[keyof WriteResults]

/** Main thread to worker: writes in order, or the wish to end. */
export type Request = { readonly type: 'write'; readonly writes: readonly Write[] } | { readonly type: 'close' }

/** An error on its way between threads. */
export interface ErrorReport {
  readonly code: StorageErrorCode
  readonly message: string
  readonly cause: unknown
}

/** Worker to main thread. `committed` and `failed` answer the oldest writes that are not answered yet. */
export type Reply =
  | { readonly type: 'ready'; readonly pragmas: FilePragmas; readonly warnings: readonly string[] }
  | { readonly type: 'refused'; readonly error: ErrorReport }
  | { readonly type: 'committed'; readonly results: readonly WriteResult[] }
  | { readonly type: 'failed'; readonly count: number; readonly error: ErrorReport }

/** What the worker is started with. */
export interface WorkerSettings {
  /** The database file. */
  readonly file: string
  /** Device and inode of that file: writes are refused once another file, or none, stands at its place. */
  readonly identity: string
}
