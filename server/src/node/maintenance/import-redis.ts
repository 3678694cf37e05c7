import { setTimeout } from 'node:timers/promises'
import { STORE_KEY } from '../../app/store/item-keys.ts'
import { checkImportLock, lockForImport, refuseImportLock, unlockImport } from '../../app/store/store-id.ts'
import { createStorage } from '../../storage/index.ts'
import type { FishStorage } from '../../storage/types.ts'
import { type ImportWork, importLines } from './import-lines.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { type RedisAddress, type RedisView, viewRedis } from './redis-view.ts'

/** How servers that may be running are given time to notice an import. */
export interface Notice {
  readonly noticeMs: number
  readonly onWait: (ms: number) => void
}

const EMPTY_IT = 'Empty it before you try again. No server takes it until then.'
const PARTLY = 'The Redis holds a part of the export now.'

/** Fills an empty Redis in place. */
export async function importRedis(
  options: RedisAddress,
  work: Omit<ImportWork, 'storage'>,
  notice: Notice,
): Promise<void> {
  const storage = await createStorage(options)
  try {
    await claim(storage, work.signal, notice)
    const filling = importLines({ ...work, storage }).catch(tellInterruption(work.signal, PARTLY, EMPTY_IT))
    await maintain(() => filling).catch((error: unknown) => {
      if (!(error instanceof MaintenanceError) || error.code === 'interrupted') throw error
      // Only who else wrote there has something to lose by emptying it.
      const hint = error.code === 'in_use' ? error.hint : EMPTY_IT
      throw new MaintenanceError(error.code, `${error.message} ${PARTLY}`, {
        ...(hint === undefined ? {} : { hint }),
        cause: error,
      })
    })
  } finally {
    await storage.dispose()
  }
}

/** Refuses what {@link claim} refuses, and writes nothing. */
export async function checkRedis(options: RedisAddress): Promise<void> {
  const view = await viewRedis(options)
  try {
    await refuseData(view)
  } finally {
    await view.dispose()
  }
}

async function refuseData(storage: Pick<RedisView, 'items' | 'tallies'>): Promise<void> {
  const mark = await storage.items.getItem(STORE_KEY)
  refuseImportLock(mark)
  if (mark !== null) throw notEmpty()
  await refuseContent(storage)
}

/**
 * Takes an empty Redis for this import alone, by the mark that keeps servers and other imports away, and waits until
 * servers that are running have seen it.
 */
async function claim(storage: FishStorage, signal: AbortSignal | undefined, notice: Notice): Promise<void> {
  await refuseData(storage)
  signal?.throwIfAborted()
  if (!(await lockForImport(storage))) {
    await refuseData(storage)
    throw notEmpty()
  }
  try {
    notice.onWait(notice.noticeMs)
    await pause(notice.noticeMs, signal)
    await checkImportLock(storage)
    // Once more: what a server has written in between has no mark.
    await refuseContent(storage)
  } catch (error) {
    await unlockImport(storage)
    throw error
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

/** The mark of an import is no content. */
async function refuseContent(storage: Pick<RedisView, 'items' | 'tallies'>): Promise<void> {
  const [keys, tallies] = await Promise.all([storage.items.getKeys(), storage.tallies()])
  if (tallies.length > 0 || keys.some((key) => key !== STORE_KEY)) throw notEmpty()
}

function notEmpty(): MaintenanceError {
  return new MaintenanceError('exists', 'The Redis holds data of this service already, and nothing was done.', {
    hint: 'Name an empty one.',
  })
}
