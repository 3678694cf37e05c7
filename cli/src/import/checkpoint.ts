import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { userNameKey } from '@fish-crab/sdk/constants'
import { CheckpointMovedError, type NewCatch, type Outbox } from '@fish-crab/sdk/outbox'
import { countQueued } from '../client/outbox.ts'
import { lockFile, withLock } from '../config/lock.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import type { ImportDefaults } from './reader.ts'
import type { ImportSource } from './source.ts'

/** Names an import: the same content for the same player, with the same defaults, is the same import. */
export function importId({ hash }: Pick<ImportSource, 'hash'>, defaults: ImportDefaults): string {
  const told = JSON.stringify([hash, { ...defaults, user: userNameKey(defaults.user) }])
  return `import:${createHash('sha256').update(told).digest('hex')}`
}

/** One run's hold on an import: where it is, in the outbox. */
interface ImportClaim {
  /** How many catches earlier runs had queued that did not bring the import to its end. */
  readonly before: number
  /**
   * Queues catches, and writes in the same step how many are queued now.
   *
   * @throws CliError `import_running` when another run has taken the import over; none of these were added
   */
  add(catches: readonly NewCatch[], place: number): Promise<void>
  /**
   * Says that this run knows what became of all of it. The same content given again is then a new import, or once
   * nothing of the player waits any more: until then it goes on with this one.
   */
  settle(): Promise<void>
}

/** An import, and whose catches it adds. */
export interface ImportScope {
  readonly name: string
  readonly user: string
  /** Names the content of its file. */
  readonly content: string
}

/** The beginning of the keys of all catches that come from a file. */
export function keyPrefixOf(content: string): string {
  return `file:${content}:`
}

/**
 * The bookmark that changes when what imports queued is cancelled: of one file, else of all. An import that was under
 * way begins anew then.
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

/** How many catches of an import earlier runs have queued, while it is not over. @throws CliError `import_not_readable` */
export async function readQueued(outbox: Outbox, { name, user, content }: ImportScope): Promise<number> {
  return resumeAt(outbox, parseCheckpoint(await outbox.checkpoint(name)), { user, content })
}

/** Where an import goes on: what its last run left waiting may have been sent since in another way, and then it is over. */
async function resumeAt(
  outbox: Outbox,
  { place, isWaiting, cancelled }: Checkpoint,
  { user, content }: Pick<ImportScope, 'user' | 'content'>,
): Promise<number> {
  if (cancelled !== (await lastCancelled(outbox, content))) return 0
  return isWaiting && !(await hasQueued(outbox, user)) ? 0 : place
}

/** Whether catches of a player wait to be sent: while some do, an import of theirs may not be over. */
async function hasQueued(outbox: Outbox, user: string): Promise<boolean> {
  return (await countQueued(outbox, user)).own > 0
}

/** Which import is claimed, and by whom. */
interface ClaimOptions extends ImportScope {
  /** When this run began, milliseconds since 1970. */
  readonly startedAt: number
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Takes an import over, from its beginning or from where a killed run left it. The lock (`lockImport`) tells whether its
 * owner lives; the place in the outbox changes hands with each claim, so that even a run which lost its lock, or never
 * had one, cannot queue anything once another has it.
 *
 * @throws CliError `import_running`, `import_ended`, `import_not_readable`; nothing was changed
 */
export async function claimImport(
  outbox: Outbox,
  { name, user, content, startedAt, clock }: ClaimOptions,
): Promise<ImportClaim> {
  const found = await outbox.checkpoint(name)
  const last = parseCheckpoint(found)
  const { endedAt } = last
  // It ran when this one began, which waited for stdin or read its file since.
  if (endedAt !== undefined && endedAt > startedAt && endedAt <= clock.now()) throw importConflict('ended')
  const before = await resumeAt(outbox, last, { user, content })
  const cancelled = await lastCancelled(outbox, content)
  const run = crypto.randomUUID()
  let expected = found ?? null
  let queued = before
  const write = async (catches: readonly NewCatch[], place: Omit<Checkpoint, 'cancelled'>) => {
    const value = JSON.stringify({ ...place, run, ...(cancelled !== '' && { cancelled }) })
    const keyed = catches.map((one, index) => ({ ...one, key: `${keyPrefixOf(content)}${run}:${queued + index}` }))
    await outbox.add(keyed, { checkpoint: { name, value, expected } })
    expected = value
  }
  const writeAlone = (catches: readonly NewCatch[], place: Omit<Checkpoint, 'cancelled'>, refusal: ImportConflict) =>
    write(catches, place).catch((error: unknown) => {
      throw error instanceof CheckpointMovedError ? importConflict(refusal) : error
    })
  await writeAlone([], { place: before }, 'running')
  return {
    before,
    async add(catches, place) {
      await writeAlone(catches, { place }, 'overtaken')
      queued = place
    },
    async settle() {
      const isWaiting = await hasQueued(outbox, user)
      const end = isWaiting ? { place: queued, isWaiting } : { place: 0, endedAt: clock.now() }
      await write([], end).catch((error: unknown) => {
        // Then it is another's to settle.
        if (!(error instanceof CheckpointMovedError)) throw error
      })
    },
  }
}

interface Checkpoint {
  /** How many catches are queued. */
  readonly place: number
  /** When the last run ended that knew what became of all of them, milliseconds since 1970. */
  readonly endedAt?: number | undefined
  /** Whether that run left some of them waiting. */
  readonly isWaiting?: boolean | undefined
  /** What was cancelled last when the run began, of the same file or of all. */
  readonly cancelled: string
}

function parseCheckpoint(text: string | undefined): Checkpoint {
  if (text === undefined) return { place: 0, cancelled: '' }
  try {
    const { place, endedAt, isWaiting, cancelled = '' } = JSON.parse(text)
    if (isCount(place))
      return { place, cancelled, isWaiting: isWaiting === true, ...(isCount(endedAt) ? { endedAt } : {}) }
  } catch {
    // Written by nobody; told below.
  }
  throw new CliError({
    code: 'import_not_readable',
    message: 'How far an earlier run had imported this content cannot be read; nothing was changed.',
    hint: 'Was it a newer fish-cli? Use that one, or send what is queued and import the rest: fish-cli outbox flush',
    exit: EXIT.failure,
  })
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Why a run does not import what another imports: that has it, took it over, or ended while this one began. */
type ImportConflict = 'running' | 'overtaken' | 'ended'

const WAIT = 'Wait for it to end. What is queued meanwhile: fish-cli outbox status'

const CONFLICTS: Readonly<Record<ImportConflict, Pick<CliError, 'code' | 'message'> & { readonly hint: string }>> = {
  running: {
    code: 'import_running',
    message: 'Another run is importing the same content for this player; nothing was changed.',
    hint: WAIT,
  },
  overtaken: {
    code: 'import_running',
    message: 'Another run has taken this import over: this one goes no further, and what is queued stays queued.',
    hint: WAIT,
  },
  ended: {
    code: 'import_ended',
    message: 'Another run imported the same content for this player while this one began; nothing was changed.',
    hint: 'Give it again if all of it is to be stored a second time.',
  },
}

/** The failure of whoever wants to import what another run imports. */
function importConflict(refusal: ImportConflict): CliError {
  return new CliError({ ...CONFLICTS[refusal], exit: EXIT.conflict })
}

/**
 * Keeps an import for this process until it is given back. It is a lock of the system's, on a file of its own: it ends
 * with its process, however that ends, so a killed run is in nobody's way, also after a restart of the machine or when
 * its process id is another's. The files that killed runs left go with the next import, whatever it brings.
 *
 * @param path The file of the outbox; that of the lock is beside it while it is held.
 * @param name Names the import.
 * @throws CliError `import_running` when another process has it; `file_not_locked`, `config_busy`
 */
export async function lockImport(context: Pick<Context, 'env'>, path: string, name: string): Promise<AsyncDisposable> {
  const file = lockPathOf(path, name)
  // A file that is removed while another opens it would give each a lock of its own, so both happen one by one.
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
        // An empty file is left, which the next import takes away.
        lock.close()
      }
    },
  }
}

/** Fails where {@link lockImport} would since another process has the import; makes nothing. */
export function checkNotRunning(path: string, name: string): void {
  const file = lockPathOf(path, name)
  if (!existsSync(file)) return
  const lock = lockFile(file, 0)
  if (!lock) throw importConflict('running')
  lock.close()
}

function lockPathOf(path: string, name: string): string {
  return `${path}-${name.replace(/[^a-z\d]+/gi, '-').slice(0, LONGEST_NAME)}${ENDING}`
}

const LONGEST_NAME = 40
const ENDING = '.lock'

/** Removes the files of locks that nobody holds, but for one's own. */
function removeStaleLocks(path: string, own: string): void {
  const beginning = `${basename(path)}-`
  // What cannot be removed is in nobody's way; a later import tries again.
  tryTo(() => {
    const names = readdirSync(dirname(path)).filter((name) => name.startsWith(beginning) && name.endsWith(ENDING))
    for (const name of names.filter((name) => name !== basename(own)))
      tryTo(() => removeIfStale(join(dirname(path), name)))
  })
}

function removeIfStale(file: string): void {
  const lock = lockFile(file, 0)
  if (!lock) return
  lock.close()
  rmSync(file, { force: true })
}

function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // Whoever calls it says why that is well.
  }
}
