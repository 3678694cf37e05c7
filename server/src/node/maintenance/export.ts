import { linkSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import { syncFolder } from '../../storage/file/folder.ts'
import { SCHEMA_VERSION } from '../../storage/file/schema.ts'
import type { ConfigSource } from '../config.ts'
import { MaintenanceError, maintain } from './errors.ts'
import {
  type ContentLine,
  countLine,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportCounts,
  type ExportHeader,
  lineCounts,
  NO_LINES,
} from './export-format.ts'
import { checkNewPath, type Draft, draftOf, onDraft, refuseEmpty, refuseExisting } from './folder.ts'
import {
  type DryRunReport,
  dryRunReport,
  folderOf,
  type MaintenanceOptions,
  type MaintenanceProgress,
  readMaintenanceSettings,
  type WorkOptions,
} from './options.ts'
import { secretsStateOf } from './store-copy.ts'
import { checkStoreFile, openStoreFile, schemaOf, storeFileOf } from './store-file.ts'

/** Options of {@link exportStore}. */
export interface ExportOptions extends ConfigSource, MaintenanceOptions {
  /** The file to make, or a stream to write to, which is not ended. A dry run writes to neither. */
  readonly target: string | Writable
  /** Time of the export, in its first line. */
  readonly now: Date
}

/** What was exported. */
export interface ExportReport extends ExportCounts, DryRunReport {
  /** The file; `null` for a stream. */
  readonly file: string | null
  /** The exported data folder. */
  readonly folder: string
  readonly secrets: ExportedSecrets
}

/** Where the secrets are that decrypt the keys of an export. They are never in it. */
type ExportedSecrets =
  /** In `secrets.json` beside the data, which an import needs as well. */
  | 'beside'
  /** Elsewhere: the `FISH_SECRET` that encrypted them is needed. */
  | 'needed'
  /** The store was never served: it has no encrypted keys. */
  | 'none'

/**
 * Writes all that a file store contains, as of one moment, as lines of JSON, also while a server uses it. Keys stay
 * encrypted, and secrets are left out. A file has mode 0600, and gets its name once it is complete and on the disk.
 * @throws MaintenanceError
 */
export function exportStore(options: ExportOptions): Promise<ExportReport> {
  const { target, now, signal, onProgress, dryRun = false, ...source } = options
  const work = { onProgress, signal }
  const paths = typeof target === 'string' ? draftOf(target) : null
  const file = paths?.path ?? null
  const run = async () => {
    if (typeof target === 'string') refuseEmpty(target)
    const folder = folderOf(readMaintenanceSettings(source).storage)
    const store = storeFileOf(folder)
    if (paths) checkNewPath(paths, 'file')
    const db = openStoreFile(store)
    try {
      checkSchema(db)
      await checkStoreFile(db, store, work)
      const text = new ExportText(db, now, { step: dryRun ? 'check' : 'write', onProgress })
      if (dryRun)
        await writeTo(new Writable({ write: (_chunk, _encoding, done) => done() }), text, { end: true, signal })
      else if (paths) await writeFile(paths, text, signal)
      else await writeTo(target as Writable, text, { end: false, signal })
      const secrets = await exportedSecretsOf(folder, text.secretCheck)
      return { ...text.counts, file, folder, secrets, ...dryRunReport(dryRun) }
    } finally {
      db.close()
    }
  }
  const state = paths ? `${file} was not made.` : 'What was written is part of an export, and no import accepts it.'
  return maintain(run, { signal, state })
}

function checkSchema(db: DatabaseSync): void {
  const schema = schemaOf(db)
  if (schema === SCHEMA_VERSION) return
  throw new MaintenanceError('older_schema', `The store has schema ${schema}, and exports need ${SCHEMA_VERSION}.`, {
    hint: 'Start the server of this version on it once, or back it up and serve the copy.',
  })
}

async function exportedSecretsOf(folder: string, secretCheck: string | null): Promise<ExportedSecrets> {
  const state = await secretsStateOf(folder, secretCheck)
  if (secretCheck === null) return 'none'
  return state === 'included' ? 'beside' : 'needed'
}

const READER_GONE = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

interface WriteOptions {
  readonly end: boolean
  readonly signal: AbortSignal | undefined
}

async function writeTo(to: Writable, text: ExportText, { end, signal }: WriteOptions): Promise<void> {
  try {
    await pipeline(Readable.from(text.chunks()), to, { end, ...(signal ? { signal } : {}) })
  } catch (error) {
    // The reason of the signal, not that of the stream.
    signal?.throwIfAborted()
    if (!READER_GONE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new MaintenanceError('unavailable', 'The reader of the export stopped before its end.', {
      hint: 'Run it again, and let the reader read all of it.',
      cause: error,
    })
  }
}

async function writeFile(paths: Draft, text: ExportText, signal: AbortSignal | undefined): Promise<void> {
  const { draft, path } = paths
  await onDraft(paths, async () => {
    const handle = await open(draft, 'wx', 0o600)
    try {
      // `flush` waits until the content is on the disk.
      await writeTo(handle.createWriteStream({ flush: true }), text, { end: true, signal })
      publish(draft, path)
      syncFolder(dirname(path))
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/** Unlike a rename, a link never replaces an existing file; some file systems have no links. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch {
    refuseExisting(path, 'file')
    renameSync(draft, path)
  }
}

const CHUNK_CHARACTERS = 64 * 1024

interface TextOptions extends Pick<WorkOptions, 'onProgress'> {
  readonly step: MaintenanceProgress['step']
}

/** The text of an export, in chunks, and what it contained once they are read. */
class ExportText {
  counts = NO_LINES
  secretCheck: string | null = null
  readonly #db: DatabaseSync
  readonly #now: Date
  readonly #options: TextOptions

  constructor(db: DatabaseSync, now: Date, options: TextOptions) {
    this.#db = db
    this.#now = now
    this.#options = options
  }

  async *chunks(): AsyncGenerator<string> {
    const { step, onProgress } = this.#options
    // One read transaction is one moment of the store, whatever a server writes meanwhile.
    this.#db.exec('BEGIN')
    const total = onProgress ? countStoreLines(this.#db) : 0
    let done = 0
    const report = () => onProgress?.({ step, unit: 'lines', done, total })
    report()
    let chunk = `${JSON.stringify(this.#header())}\n`
    for (const line of storeLines(this.#db)) {
      this.counts = countLine(this.counts, line)
      if ('item' in line && line.item === SECRET_CHECK_KEY) this.secretCheck = line.value
      chunk += `${JSON.stringify(line)}\n`
      done += 1
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      report()
      chunk = ''
      // A consumer that never waits leaves no turn to timers and signals, so nothing could abort it.
      await setImmediate()
    }
    yield `${chunk}${JSON.stringify({ end: lineCounts(this.counts) })}\n`
    report()
  }

  #header(): ExportHeader {
    const exportedAt = this.#now.toISOString()
    return { format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, schema: schemaOf(this.#db) }
  }
}

// The `+` keeps SQLite from searching all tokens of an owner for each record: it makes an index of ids instead.
const RECORDS = `
SELECT owner, kind, gamemode, records.id AS id, dedupe_key, records.count AS count, plain, full, labels
FROM records CROSS JOIN collections USING (collection)
LEFT JOIN (SELECT owner AS token_owner, dedupe_key, id AS token_id FROM tokens)
  ON token_id = records.id AND +token_owner = owner
ORDER BY sequence`

/** Tokens whose record was removed. */
const LONE_TOKENS = `
SELECT owner, dedupe_key, id FROM tokens
WHERE NOT EXISTS (
  SELECT 1 FROM records JOIN collections USING (collection)
  WHERE records.id = tokens.id AND collections.owner = tokens.owner
)
ORDER BY owner, dedupe_key`

/** Everything that a store of the current schema contains; the records from the oldest to the newest. */
function* storeLines(db: DatabaseSync): Generator<ContentLine> {
  for (const { key, value } of db.prepare('SELECT key, value FROM items ORDER BY key').iterate()) {
    yield { item: String(key), value: String(value) }
  }
  for (const row of db.prepare(RECORDS).iterate()) {
    yield {
      record: {
        owner: String(row.owner),
        kind: String(row.kind),
        gamemode: String(row.gamemode),
        id: String(row.id),
        dedupeKey: row.dedupe_key === null ? null : String(row.dedupe_key),
        count: Number(row.count),
        plain: String(row.plain),
        full: String(row.full),
        labels: JSON.parse(String(row.labels)),
      },
    }
  }
  for (const row of db.prepare(LONE_TOKENS).iterate()) {
    yield { token: { owner: String(row.owner), dedupeKey: String(row.dedupe_key), id: String(row.id) } }
  }
  for (const { owner } of db.prepare('SELECT owner FROM removed_owners ORDER BY owner').iterate()) {
    yield { removedOwner: String(owner) }
  }
}

function countStoreLines(db: DatabaseSync): number {
  const counts = db
    .prepare(
      `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM records) + (SELECT count(*) FROM (${LONE_TOKENS})) +
        (SELECT count(*) FROM removed_owners) AS lines`,
    )
    .get()
  return Number(counts?.lines)
}
