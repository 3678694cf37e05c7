import { existsSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SEAL_CHECK_KEY } from '../../app/users/seal-check.ts'
import { syncFolder } from '../../storage/file/file-folder.ts'
import { SCHEMA_VERSION } from '../../storage/file/file-schema.ts'
import type { ConfigSource } from '../config.ts'
import {
  countLine,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportCounts,
  type ExportHeader,
  lineCounts,
  NO_LINES,
} from './export-format.ts'
import { type SecretsState, secretsStateOf } from './kept-secrets.ts'
import { MaintenanceError, maintain } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { checkIntegrity, openStoreFile, schemaOf, storeFileOf } from './store-file.ts'
import { storeLines } from './store-lines.ts'

/** What {@link exportStore} takes. */
export interface ExportOptions extends ConfigSource {
  /** The file to make, or a stream to write to, which is not ended. */
  readonly target: string | Writable
  /** Noted in the first line. */
  readonly now: Date
  readonly signal?: AbortSignal
}

/** What was exported. */
export interface ExportReport extends ExportCounts {
  /** The file; `null` for a stream. */
  readonly file: string | null
  /** The data folder that it comes from. */
  readonly folder: string
  /** `included`: the secrets beside the data, which are not in the export, open its keys. */
  readonly secrets: SecretsState
}

/**
 * Writes all that a file store holds, as of one moment, as lines of JSON, also while a server serves it. Keys stay
 * sealed and secrets stay out. A file is for its owner alone and on the disk when this settles; a failure leaves none.
 * @throws MaintenanceError
 */
export function exportStore({ target, now, signal, ...source }: ExportOptions): Promise<ExportReport> {
  return maintain(async () => {
    const folder = folderOf(readMaintenanceSettings(source).storage)
    const store = storeFileOf(folder)
    const file = typeof target === 'string' ? resolve(target) : null
    if (file !== null && existsSync(file)) throw inTheWay(file)
    const db = openStoreFile(store)
    try {
      checkSchema(db)
      checkIntegrity(db, store)
      const output = new ExportText(db, now)
      if (typeof target === 'string') await writeFile(output, resolve(target), signal)
      else await writeTo(output, target, { end: false, signal })
      return { ...output.counts, file, folder, secrets: await secretsStateOf(folder, output.sealCheck) }
    } finally {
      db.close()
    }
  })
}

const CHUNK_CHARACTERS = 64 * 1024

/** The text of an export, in chunks, and what was in it once they are taken. */
class ExportText {
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

const READER_GONE = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

interface Writing {
  readonly end: boolean
  readonly signal: AbortSignal | undefined
}

async function writeTo(output: ExportText, to: Writable, { end, signal }: Writing): Promise<void> {
  try {
    await pipeline(Readable.from(output.chunks()), to, { end, ...(signal ? { signal } : {}) })
  } catch (error) {
    // The reason of whoever interrupted, not that of the stream.
    signal?.throwIfAborted()
    if (!READER_GONE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    const message = 'What was to read the export went away before its end.'
    throw new MaintenanceError('unavailable', message, { cause: error })
  }
}

async function writeFile(output: ExportText, file: string, signal: AbortSignal | undefined): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  // `flush` waits until the content is on the disk.
  const stream = handle.createWriteStream({ flush: true })
  try {
    await writeTo(output, stream, { end: true, signal })
    syncFolder(dirname(file))
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

function checkSchema(db: DatabaseSync): void {
  const found = schemaOf(db)
  if (found === SCHEMA_VERSION) return
  throw new MaintenanceError('older_schema', `The store has schema ${found}, and exports need ${SCHEMA_VERSION}.`, {
    hint: 'Start the server of this version on it once, or back it up and serve the copy.',
  })
}

function inTheWay(file: string): MaintenanceError {
  return new MaintenanceError('exists', `${file} exists already, and nothing was done.`, {
    hint: 'Name a file that does not exist.',
  })
}
