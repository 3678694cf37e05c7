import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import { countLine, EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader, lineCounts, NO_LINES } from './export-format.ts'
import type { MaintenanceProgress, ProgressOptions } from './progress.ts'
import { schemaOf } from './store-file.ts'
import { countStoreLines, storeLines } from './store-lines.ts'

const CHUNK_CHARACTERS = 64 * 1024

/** What the making of an export tells. */
export interface ExportTelling extends ProgressOptions {
  /** What is done with the text. */
  readonly step: MaintenanceProgress['step']
}

/** The text of an export, in chunks, and what was in it once they are taken. */
export class ExportText {
  counts = NO_LINES
  sealCheck: string | null = null
  readonly #db: DatabaseSync
  readonly #now: Date
  readonly #telling: ExportTelling

  constructor(db: DatabaseSync, now: Date, telling: ExportTelling) {
    this.#db = db
    this.#now = now
    this.#telling = telling
  }

  async *chunks(): AsyncGenerator<string> {
    // One read transaction is one moment of the store, whatever a server writes meanwhile.
    this.#db.exec('BEGIN')
    const tell = this.#teller()
    let done = 0
    tell(done)
    let chunk = `${JSON.stringify(this.#header())}\n`
    for (const line of storeLines(this.#db)) {
      this.counts = countLine(this.counts, line)
      if ('item' in line && line.item === SECRET_CHECK_KEY) this.sealCheck = line.value
      chunk += `${JSON.stringify(line)}\n`
      done += 1
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      tell(done)
      chunk = ''
      // Who takes it at once leaves no turn to timers and signals, and so nothing could end it.
      await setImmediate()
    }
    yield `${chunk}${JSON.stringify({ end: lineCounts(this.counts) })}\n`
    tell(done)
  }

  /** Lines are counted beforehand only where somebody wants to know. */
  #teller(): (done: number) => void {
    const { step, onProgress } = this.#telling
    if (!onProgress) return () => {}
    const total = countStoreLines(this.#db)
    return (done) => onProgress({ step, unit: 'lines', done, total })
  }

  #header(): ExportHeader {
    const exportedAt = this.#now.toISOString()
    return { format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, schema: schemaOf(this.#db) }
  }
}
