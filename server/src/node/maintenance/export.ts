import { linkSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../../storage/file/folder.ts'
import { SCHEMA_VERSION } from '../../storage/file/schema.ts'
import type { ConfigSource } from '../config.ts'
import type { ExportCounts } from './export-format.ts'
import { ExportText } from './export-text.ts'
import { type ExportedSecrets, exportedSecretsOf } from './kept-secrets.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings } from './maintenance-settings.ts'
import { type DraftNames, namingPaths, partialNames } from './named-paths.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions, workOf } from './progress.ts'
import { checkWhole, openStoreFile, schemaOf, storeFileOf } from './store-file.ts'
import { checkNewName, refuseEmpty, refuseTaken } from './target.ts'

/** What {@link exportStore} takes. */
export interface ExportOptions extends ConfigSource, MaintenanceOptions {
  /** The file to make, or a stream to write to, which is not ended. A dry run writes to neither. */
  readonly target: string | Writable
  /** Noted in the first line. */
  readonly now: Date
}

/** What was exported. */
export interface ExportReport extends ExportCounts, DryRunMark {
  /** The file; `null` for a stream. */
  readonly file: string | null
  /** The data folder that it comes from. */
  readonly folder: string
  readonly secrets: ExportedSecrets
}

/**
 * Writes all that a file store holds, as of one moment, as lines of JSON, also while a server serves it. Keys stay
 * sealed and secrets stay out. A file is for its owner alone, and takes its name once it is whole and on the disk.
 * @throws MaintenanceError
 */
export function exportStore(options: ExportOptions): Promise<ExportReport> {
  const { target, now, signal, onProgress, dryRun = false, ...source } = options
  const work = workOf({ onProgress, signal })
  const names = typeof target === 'string' ? partialNames(target) : null
  const file = names?.shown ?? null
  const left =
    file === null ? 'What was written is part of an export, and no import takes it.' : `${file} was not made.`
  const run = async () => {
    if (typeof target === 'string') refuseEmpty(target)
    const folder = folderOf(readMaintenanceSettings(source).storage)
    const store = storeFileOf(folder)
    if (names) checkNewName(names, 'file')
    const db = openStoreFile(store)
    try {
      checkSchema(db)
      await checkWhole(db, store, work)
      const output = new ExportText(db, now, { step: dryRun ? 'check' : 'write', ...work })
      if (dryRun) await writeTo(output, nowhere(), { end: true, signal })
      else if (typeof target === 'string') await writeFile(output, partialNames(target), signal)
      else await writeTo(output, target, { end: false, signal })
      const secrets = await exportedSecretsOf(folder, output.sealCheck)
      return { ...output.counts, file, folder, secrets, ...dryRunMark(dryRun) }
    } finally {
      db.close()
    }
  }
  return maintain(() => run().catch(tellInterruption(signal, left, 'Run it again.')))
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
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
    throw new MaintenanceError('unavailable', message, {
      hint: 'Do it again, and keep running what reads it.',
      cause: error,
    })
  }
}

async function writeFile(output: ExportText, names: DraftNames, signal: AbortSignal | undefined): Promise<void> {
  const { draft, shown: file } = names
  await namingPaths(names, async () => {
    const handle = await open(draft, 'wx', 0o600)
    // `flush` waits until the content is on the disk.
    const stream = handle.createWriteStream({ flush: true })
    try {
      await writeTo(output, stream, { end: true, signal })
      giveName(draft, file)
      syncFolder(dirname(file))
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/** Unlike a rename, a link never takes the place of what is there; where there are no links, a look has to do. */
function giveName(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch {
    refuseTaken(file, 'file')
    renameSync(draft, file)
  }
}

function checkSchema(db: DatabaseSync): void {
  const found = schemaOf(db)
  if (found === SCHEMA_VERSION) return
  throw new MaintenanceError('older_schema', `The store has schema ${found}, and exports need ${SCHEMA_VERSION}.`, {
    hint: 'Start the server of this version on it once, or back it up and serve the copy.',
  })
}
