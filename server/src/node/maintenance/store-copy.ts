import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { renewLineage } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { secretsText, writeSecretsText } from './kept-secrets.ts'
import { runLong } from './long-statement.ts'
import { MaintenanceError } from './maintenance-error.ts'
import type { WorkOptions } from './progress.ts'
import { checkWhole, contentOf, openStoreFile, type StoreContent, spaceOf } from './store-file.ts'

const MOST_TRIES = 3

/** What a store holds that was found to be whole. */
export async function checkedContent(file: string, work: WorkOptions): Promise<StoreContent> {
  const db = openStoreFile(file)
  try {
    await checkWhole(db, file, work)
    return contentOf(db)
  } finally {
    db.close()
  }
}

interface Copying extends WorkOptions {
  /** A data folder. */
  readonly from: string
  /** Its store. */
  readonly file: string
  /** An empty folder. */
  readonly to: string
}

/** Copies a store and its secrets so that they belong together, although a resealing may change both meanwhile. */
export async function copyWithSecrets({ from, file, to, ...work }: Copying): Promise<StoreContent> {
  const db = openStoreFile(file)
  const copy = join(to, STORE_FILE)
  try {
    await checkWhole(db, file, work)
    for (let tries = 1; ; tries += 1) {
      const before = secretsText(from)
      const copied = await copyStore({ db, file }, copy, work)
      if (secretsText(from) === before) {
        if (before !== undefined) writeSecretsText(to, before)
        return copied
      }
      if (tries === MOST_TRIES) {
        throw new MaintenanceError('unavailable', 'The secrets changed while they were copied.', {
          hint: 'Do it again.',
        })
      }
      rmSync(copy)
    }
  } finally {
    db.close()
  }
}

/** A store to copy. */
interface CopySource {
  readonly db: DatabaseSync
  readonly file: string
}

/**
 * Writes a copy of a store as of one moment, while others read and write it, and checks the copy. It is on the disk
 * when this settles, which SQLite itself does not promise of `VACUUM INTO`.
 *
 * Not by SQLite's backup interface: it begins anew whenever a server writes, and takes along what was deleted.
 */
async function copyStore({ db, file }: CopySource, copy: string, work: WorkOptions): Promise<StoreContent> {
  const { onProgress, signal } = work
  // What is free in the store is not copied.
  const { size, used: total } = spaceOf(db)
  const tell = (done: number) => onProgress?.({ step: 'copy', unit: 'bytes', done: Math.min(done, total), total })
  // Made first, for its owner only: SQLite takes an empty file, and would let everybody read one of its own.
  closeSync(openSync(copy, 'wx', 0o600))
  tell(0)
  const onTick = () => tell(statSync(copy, { throwIfNoEntry: false })?.size ?? 0)
  await runLong({ db, file, size, sql: 'VACUUM INTO ?', parameters: [copy], output: copy, onTick, signal })
  const renewed = new DatabaseSync(copy)
  try {
    renewLineage(renewed)
  } finally {
    renewed.close()
  }
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
