import { createWriteStream } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { SECRET_CHECK_KEY } from '../../app/store/item-keys.ts'
import type { ConfigSource } from '../config.ts'
import { readSecretsText } from '../secrets-file.ts'
import { type ExportCounts, firstLine, type LineCounts, lastLine } from './export-format.ts'
import { makeNew } from './folder.ts'
import { MaintenanceError, type MaintenanceOptions, maintain, namedPath, readDataFolder } from './maintenance.ts'
import { checkSecretsUnchanged, firstValue, inspectStore, itemOf, openStore, schemaOf } from './store.ts'

/** Options of {@link exportStore}. */
export interface ExportOptions extends ConfigSource, MaintenanceOptions {
  /** The file to make, or a stream to write to, which is not ended. */
  readonly target: string | Writable
  /** Time of the export, in its first line. */
  readonly now: Date
}

/** What was exported. */
export interface ExportReport extends ExportCounts {
  /** The file; `null` for a stream. */
  readonly file: string | null
  /** The exported data folder. */
  readonly folder: string
  /**
   * Where the secrets are that decrypt the keys of an export. They are never in it.
   *
   * - `beside`: in `secrets.json` beside the data, which an import needs as well
   * - `needed`: elsewhere: the `FISH_SECRET` that encrypted them is needed
   * - `none`: the store was never served, and has no encrypted keys
   */
  readonly secrets: 'beside' | 'needed' | 'none'
}

/**
 * Writes a consistent snapshot of a file store as lines of JSON, even while a server uses it. Keys stay
 * encrypted, and secrets are left out. A file has mode 0600, and gets its name once it is complete and on the disk.
 * @throws MaintenanceError
 */
export async function exportStore(options: ExportOptions): Promise<ExportReport> {
  const { target, now, signal } = options
  if (typeof target !== 'string' && typeof target?.write !== 'function') {
    throw new TypeError('target must be a path or a writable stream.')
  }
  if (!(now instanceof Date)) throw new TypeError('now must be a Date.')
  const file = typeof target === 'string' ? namedPath(target) : null
  const run = async () => {
    const folder = readDataFolder(options)
    const storedSecrets = readSecretsText(folder)
    using db = openStore(folder)
    const exportTo = async (open: () => Writable, end: boolean) => {
      const { users, entries, secrets } = await inspectStore(db, folder, options)
      const counts = countLines(db)
      const checkEnd = () => checkSecretsUnchanged(folder, storedSecrets)
      await writeTo(open(), Readable.from(exportText(db, counts, { ...options, checkEnd })), { end, signal })
      const beside = secrets === 'included' ? 'beside' : 'needed'
      const where = itemOf(db, SECRET_CHECK_KEY) === null ? 'none' : beside
      return { ...counts, users, entries, file, folder, secrets: where } as const
    }
    if (typeof target !== 'string') return await exportTo(() => target, false)
    // `flush` waits until the content is on the disk.
    const created = { flags: 'wx', mode: 0o600, flush: true }
    return await makeNew(namedPath(target), 'file', (temp) => exportTo(() => createWriteStream(temp, created), true))
  }
  const partly = 'What was written is part of an export, and no import accepts it.'
  return maintain(run, { signal, state: file === null ? partly : `${file} was not made.` })
}

const READER_GONE = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

async function writeTo(
  to: Writable,
  text: Readable,
  { end, signal }: { readonly end: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  try {
    await pipeline(text, to, { end, ...(signal ? { signal } : {}) })
  } catch (error) {
    // The reason of the signal, not that of the stream.
    signal?.throwIfAborted()
    if (!READER_GONE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new MaintenanceError('unavailable', 'The reader of the export stopped before the end.', {
      hint: 'Run it again, and let the reader read all of it.',
      cause: error,
    })
  }
}

const CHUNK_CHARACTERS = 64 * 1024

async function* exportText(
  db: DatabaseSync,
  counts: LineCounts,
  { now, onProgress, checkEnd }: Pick<ExportOptions, 'now' | 'onProgress'> & { readonly checkEnd: () => void },
): AsyncGenerator<string> {
  const total = Object.values(counts).reduce((sum, count) => sum + count)
  let done = 0
  const report = () => onProgress?.({ step: 'write', unit: 'lines', done, total })
  report()
  let chunk = `${JSON.stringify(firstLine(now, schemaOf(db)))}\n`
  for (const lines of LINES) {
    for (const { line } of db.prepare(lines).iterate()) {
      chunk += `${line}\n`
      done += 1
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      report()
      chunk = ''
      // A consumer that never waits leaves no turn to timers and signals, so nothing could abort it.
      await setImmediate()
    }
  }
  checkEnd()
  yield `${chunk}${JSON.stringify(lastLine(counts))}\n`
  report()
}

const LONE_TOKENS = `tokens WHERE NOT EXISTS (
  SELECT 1 FROM records JOIN collections USING (collection)
  WHERE records.id = tokens.id AND collections.owner = tokens.owner
)`

const LINES = [
  `SELECT json_object('item', key, 'value', value) AS line FROM items ORDER BY key`,
  // The `+` keeps SQLite from searching all tokens of an owner for each record: it makes an index of ids instead.
  `SELECT json_object('record', json_object(
     'owner', owner, 'kind', kind, 'gamemode', gamemode, 'id', records.id, 'dedupeKey', dedupe_key,
     'count', records.count, 'entries', entries, 'labels', json(labels))) AS line
   FROM records CROSS JOIN collections USING (collection)
   LEFT JOIN (SELECT owner AS token_owner, dedupe_key, id AS token_id FROM tokens)
     ON token_id = records.id AND +token_owner = owner
   ORDER BY sequence`,
  `SELECT json_object('token', json_object('owner', owner, 'dedupeKey', dedupe_key, 'id', id)) AS line
   FROM ${LONE_TOKENS} ORDER BY owner, dedupe_key`,
  `SELECT json_object('removedOwner', owner) AS line FROM removed_owners ORDER BY owner`,
]

function countLines(db: DatabaseSync): LineCounts {
  const count = (rows: string) => Number(firstValue(db, `SELECT count(*) FROM ${rows}`))
  return {
    items: count('items'),
    records: count('records'),
    tokens: count(LONE_TOKENS),
    removedOwners: count('removed_owners'),
  }
}
