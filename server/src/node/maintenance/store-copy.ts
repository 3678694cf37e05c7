import { closeSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { runLong } from './long-statement.ts'
import type { WorkOptions } from './progress.ts'
import { checkWhole, contentOf, openStoreFile, type StoreContent, spaceOf } from './store-file.ts'

/** A store to copy. */
export interface CopySource {
  readonly db: DatabaseSync
  readonly file: string
}

/**
 * Writes a copy of a store as of one moment, while others read and write it, and checks the copy. It is on the disk
 * when this settles, which SQLite itself does not promise of `VACUUM INTO`.
 *
 * Not by SQLite's backup interface: it begins anew whenever a server writes, and takes along what was deleted.
 */
export async function copyStore({ db, file }: CopySource, copy: string, work: WorkOptions = {}): Promise<StoreContent> {
  const { onProgress, signal } = work
  // What is free in the store is not copied.
  const { size, used: total } = spaceOf(db)
  const tell = (done: number) => onProgress?.({ step: 'copy', unit: 'bytes', done: Math.min(done, total), total })
  // Made first, for its owner only: SQLite takes an empty file, and would let everybody read one of its own.
  closeSync(openSync(copy, 'wx', 0o600))
  tell(0)
  const onTick = () => tell(statSync(copy, { throwIfNoEntry: false })?.size ?? 0)
  await runLong({ db, file, size, sql: 'VACUUM INTO ?', parameters: [copy], output: copy, onTick, signal })
  const handle = await open(copy, 'r+')
  await handle.sync().finally(() => handle.close())
  tell(total)
  const copied = openStoreFile(copy)
  try {
    await checkWhole(copied, copy, work)
    return contentOf(copied)
  } finally {
    copied.close()
  }
}
