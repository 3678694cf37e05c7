import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { userNameKey } from '@fish-crab/sdk/constants'
import { CheckpointMovedError, type NewCatch, type Outbox } from '@fish-crab/sdk/outbox'
import { lockFile, withLock } from '../config/lock.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import type { ImportDefaults } from './reader.ts'
import type { ImportSource } from './source.ts'

/** Same content, player and defaults make the same import. */
export function importId({ hash }: Pick<ImportSource, 'hash'>, defaults: ImportDefaults): string {
  const text = JSON.stringify([hash, { ...defaults, user: userNameKey(defaults.user) }])
  return `import:${createHash('sha256').update(text).digest('hex')}`
}

const FILES = 'file:'

export function keyPrefixOf(content: string): string {
  return `${FILES}${content}:`
}

/** The content of the file that a queued catch came from; `undefined` for a catch of a log. */
export function contentOfKey(key: string): string | undefined {
  return key.startsWith(FILES) ? key.slice(FILES.length).split(':', 1)[0] : undefined
}

/** Such as an earlier version of this file. */
export async function countOfOtherFiles(outbox: Outbox, content: string): Promise<number> {
  const queuedOf = async (keyPrefix: string) => {
    const { cancelled, frozen } = await outbox.cancel({ keyPrefix, dryRun: true })
    return cancelled + frozen
  }
  return (await queuedOf(FILES)) - (await queuedOf(keyPrefixOf(content)))
}

/**
 * The checkpoint to write when queued imports are cancelled, of one file or of all. An import in progress then starts
 * over.
 */
export function cancellation(content: string | undefined): { readonly name: string; readonly value: string } {
  return { name: cancelledName(content), value: crypto.randomUUID() }
}

function cancelledName(content = 'all'): string {
  return `cancelled:${content}`
}

async function lastCancelled(outbox: Outbox, content: string): Promise<string> {
  const stamps = [await outbox.checkpoint(cancelledName()), await outbox.checkpoint(cancelledName(content))]
  return stamps.join(' ').trim()
}

/** Catches of a file that are in the outbox. A cancellation leaves the frozen ones: they are being sent. */
async function countIn(outbox: Outbox, content: string) {
  const keyPrefix = keyPrefixOf(content)
  const { cancelled: queued, frozen } = await outbox.cancel({ keyPrefix, dryRun: true })
  const deadLetters = await outbox.deadLetters()
  const dead = deadLetters.flatMap(({ catches }) => catches).filter(({ key }) => key?.startsWith(keyPrefix)).length
  return { queued, frozen, dead }
}

/** When all catches of the last import of this content were sent, in milliseconds since 1970. */
export async function lastImport(outbox: Outbox, name: string): Promise<number | undefined> {
  return parseCheckpoint(await outbox.checkpoint(name)).endedAt
}

interface ClaimOptions {
  readonly name: string
  readonly content: string
  readonly clock: Pick<Clock, 'now'>
}

export type ImportClaim = Awaited<ReturnType<typeof claimImport>>

/**
 * Claims an import, from its start or from the checkpoint of a killed run. The lock (`lockImport`) tells whether the
 * owner is alive; the compare-and-set of the checkpoint keeps a run without the lock from queueing anything more.
 *
 * @throws CliError `import_running`, `import_cancelled`, `import_not_readable`; nothing was changed
 */
export async function claimImport(outbox: Outbox, { name, content, clock }: ClaimOptions) {
  const found = await outbox.checkpoint(name)
  const last = parseCheckpoint(found)
  const cancelled = await lastCancelled(outbox, content)
  const isResumed = last.cancelled === cancelled
  const wasCancelled = found !== undefined && !isResumed
  if (wasCancelled && (await countIn(outbox, content)).frozen > 0) throw importConflict('cancelled')
  const before = isResumed ? last.place : 0
  const run = crypto.randomUUID()
  let expected = found ?? null
  let queued = before
  const write = async (
    catches: readonly NewCatch[],
    place: Omit<Checkpoint, 'cancelled'>,
    conflict?: ImportConflict,
  ) => {
    const value = JSON.stringify({ ...place, run, ...(cancelled !== '' && { cancelled }) })
    const keyed = catches.map((one, index) => ({ ...one, key: `${keyPrefixOf(content)}${run}:${queued + index}` }))
    await outbox.add(keyed, { checkpoint: { name, value, expected } }).catch((error: unknown) => {
      throw error instanceof CheckpointMovedError && conflict ? importConflict(conflict) : error
    })
    expected = value
  }
  await write([], { place: before }, 'running')
  return {
    /** Catches that earlier, incomplete runs queued. */
    before,
    /** In one transaction with the checkpoint. @throws CliError `import_running` when another run took over */
    async add(catches: readonly NewCatch[], place: number): Promise<void> {
      await write(catches, { place }, 'overtaken')
      queued = place
    },
    /** Completes the import, unless catches are left: then the same content resumes it, even if they are sent meanwhile. */
    async settle(): Promise<void> {
      const left = await countIn(outbox, content)
      const isComplete = left.queued + left.frozen + left.dead === 0
      const end = isComplete ? { place: 0, endedAt: clock.now() } : { place: queued }
      await write([], end).catch((error: unknown) => {
        // Another run has taken over and settles it.
        if (!(error instanceof CheckpointMovedError)) throw error
      })
    },
    /** What is left of this file, and whether another process cancelled it since the claim. */
    async rest() {
      const { dead } = await countIn(outbox, content)
      return { dead, isCancelled: cancelled !== (await lastCancelled(outbox, content)) }
    },
  }
}

interface Checkpoint {
  readonly place: number
  /** End of the last complete run in milliseconds since 1970. */
  readonly endedAt?: number | undefined
  /** The last cancellation when the run started, of this file or of all. */
  readonly cancelled: string
}

function parseCheckpoint(text: string | undefined): Checkpoint {
  if (text === undefined) return { place: 0, cancelled: '' }
  try {
    const { place, endedAt, cancelled = '' } = JSON.parse(text)
    if (isCount(place)) return { place, cancelled, ...(isCount(endedAt) ? { endedAt } : {}) }
  } catch {
    // Reported below.
  }
  throw new CliError({
    code: 'import_not_readable',
    message: 'The checkpoint of an earlier import of this content cannot be read; nothing was changed.',
    hint: 'If a newer fish-cli wrote it, use that version. Or send what is queued and import the rest: fish-cli outbox flush',
    exit: EXIT.failure,
  })
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

type ImportConflict = 'running' | 'overtaken' | 'cancelled'

const WAIT = 'Wait for it to end. To see what is queued: fish-cli outbox status'

const CONFLICTS: Readonly<Record<ImportConflict, Pick<CliError, 'code' | 'message'> & { readonly hint: string }>> = {
  running: {
    code: 'import_running',
    message: 'Another run is importing the same content for this player; nothing was changed.',
    hint: WAIT,
  },
  overtaken: {
    code: 'import_running',
    message: 'Another run has taken over this import. This one stops; queued catches stay queued.',
    hint: WAIT,
  },
  cancelled: {
    code: 'import_cancelled',
    message: 'A batch being sent has catches of this file, from an import that was cancelled; nothing was changed.',
    hint: 'Send them first: fish-cli outbox flush. Adding the whole file again then adds them twice.',
  },
}

function importConflict(refusal: ImportConflict): CliError {
  return new CliError({ ...CONFLICTS[refusal], exit: EXIT.conflict })
}

/** Held by the operating system until the process ends, however it ends: a killed run blocks no others. */
export async function lockImport(context: Pick<Context, 'env'>, path: string, name: string): Promise<AsyncDisposable> {
  const file = `${path}-${name.replace(/[^a-z\d]+/gi, '-').slice(0, MAX_NAME)}${EXTENSION}`
  // Opening and removing are serialized: a file removed while it is opened would give each process its own lock.
  const lock = await withLock(context, () => {
    const own = lockFile(file, 0)
    if (!own) throw importConflict('running')
    removeStaleLocks(path, file)
    return own
  })
  return {
    async [Symbol.asyncDispose]() {
      try {
        await withLock(context, () => {
          lock.close()
          rmSync(file, { force: true })
        })
      } catch {
        // The next import removes the file.
        lock.close()
      }
    },
  }
}

const MAX_NAME = 40
const EXTENSION = '.lock'

function removeStaleLocks(path: string, own: string): void {
  try {
    for (const name of readdirSync(dirname(path))) {
      const file = join(dirname(path), name)
      if (file === own || !name.startsWith(`${basename(path)}-`) || !name.endsWith(EXTENSION)) continue
      const lock = lockFile(file, 0)
      if (!lock) continue
      lock.close()
      rmSync(file, { force: true })
    }
  } catch {
    // A file that cannot be removed does no harm; a later import tries again.
  }
}
