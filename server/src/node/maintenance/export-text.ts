import type { DatabaseSync } from 'node:sqlite'
import { SEAL_CHECK_KEY } from '../../app/users/seal-check.ts'
import { countLine, EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader, lineCounts, NO_LINES } from './export-format.ts'
import { schemaOf } from './store-file.ts'
import { storeLines } from './store-lines.ts'

const CHUNK_CHARACTERS = 64 * 1024

/** The text of an export, in chunks, and what was in it once they are taken. */
export class ExportText {
  counts = NO_LINES
  sealCheck: string | null = null
  readonly #db: DatabaseSync
  readonly #now: Date

  constructor(db: DatabaseSync, now: Date) {
    this.#db = db
    this.#now = now
  }

  *chunks(): Generator<string> {
    // One read transaction is one moment of the store, whatever a server writes meanwhile.
    this.#db.exec('BEGIN')
    let chunk = `${JSON.stringify(this.#header())}\n`
    for (const line of storeLines(this.#db)) {
      this.counts = countLine(this.counts, line)
      if ('item' in line && line.item === SEAL_CHECK_KEY) this.sealCheck = line.value
      chunk += `${JSON.stringify(line)}\n`
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      chunk = ''
    }
    yield `${chunk}${JSON.stringify({ end: lineCounts(this.counts) })}\n`
  }

  #header(): ExportHeader {
    const exportedAt = this.#now.toISOString()
    return { format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, schema: schemaOf(this.#db) }
  }
}
