import { STORE_KEY } from '../../app/store/item-keys.ts'
import { checkImportLock, finishImport } from '../../app/store/store-id.ts'
import type { FishStorage } from '../../storage/types.ts'
import type { ContentLine } from './export-format.ts'
import { exportLines, type NumberedLine } from './export-reader.ts'
import { ownerOf } from './line-places.ts'
import { MaintenanceError } from './maintenance-error.ts'
import type { WorkOptions } from './progress.ts'

/** What {@link importLines} takes. */
export interface ImportWork extends WorkOptions {
  /** An export that was checked. */
  readonly file: string
  /** Empty, and marked as unfinished. */
  readonly storage: FishStorage
  /** Lines that the export has between its first and its last. */
  readonly total: number
}

const BATCH_LINES = 500
const BATCH_CHARACTERS = 4 * 1024 * 1024

/**
 * Writes every line of an export into a storage. Only then it is a store: the one of the export, or a new one where
 * the export is older and does not say which it is.
 * @throws MaintenanceError, StorageError
 */
export async function importLines({ file, storage, total, onProgress, signal }: ImportWork): Promise<void> {
  let batch: NumberedLine[] = []
  let [characters, written] = [0, 0]
  let storeId: string | undefined
  const tell = () => onProgress?.({ step: 'write', unit: 'lines', done: written, total })
  const flush = async () => {
    signal?.throwIfAborted()
    await checkImportLock(storage)
    await writeBatch(storage, batch)
    written += batch.length
    tell()
    batch = []
    characters = 0
  }
  tell()
  for await (const numbered of exportLines(file)) {
    const { line } = numbered
    if ('item' in line && line.item === STORE_KEY) {
      storeId = line.value
      written += 1
      continue
    }
    batch.push(numbered)
    characters += sizeOf(line)
    if (batch.length >= BATCH_LINES || characters >= BATCH_CHARACTERS) await flush()
  }
  await flush()
  await finishImport(storage, (bytes) => crypto.getRandomValues(bytes), storeId)
}

/** The export says each thing once: that was checked. */
function takenBySomebody({ number }: NumberedLine): MaintenanceError {
  return new MaintenanceError(
    'in_use',
    `Something else wrote into the storage during the import: it holds already what line ${number} says.`,
    {
      hint: 'Stop every server on it. What they acknowledged since the import began is in there too: export or note what is needed of it before you empty the storage and try again.',
    },
  )
}

function sizeOf(line: ContentLine): number {
  if ('record' in line) return line.record.plain.length + line.record.full.length
  return 'item' in line ? line.value.length : 0
}

/** The file storage keeps the order of writes and flushes them together; others get those of an owner one by one. */
async function writeBatch(storage: FishStorage, batch: readonly NumberedLine[]): Promise<void> {
  const lanes =
    storage.driver === 'file'
      ? batch.map((one) => [one])
      : [...Map.groupBy(batch, ({ number, line }) => ownerOf(line) ?? number).values()]
  const results = await Promise.allSettled(
    lanes.map(async (lane) => {
      for (const { number, line } of lane) {
        if (!(await write(storage, line))) throw takenBySomebody({ number, line })
      }
    }),
  )
  // Settled first: nothing goes on writing behind a failure.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

// Where a record stands for the moment in which its token becomes used.
const PASSING = { kind: 'removed', gamemode: 'removed' }

/** Answers whether there was room for it. */
async function write(storage: FishStorage, line: ContentLine): Promise<boolean> {
  if ('item' in line) return storage.setItemIfAbsent(line.item, line.value)
  if ('removedOwner' in line) {
    await storage.removeOwner(line.removedOwner)
    return true
  }
  if ('record' in line) {
    const { owner, kind, gamemode, ...record } = line.record
    return (await storage.append({ owner, kind, gamemode }, record)).outcome === 'stored'
  }
  const { owner, dedupeKey, id } = line.token
  const record = { id, dedupeKey, count: 1, labels: {}, plain: '{}', full: '{}' }
  if ((await storage.append({ owner, ...PASSING }, record)).outcome !== 'stored') return false
  return storage.removeRecord({ owner, ...PASSING }, id)
}
