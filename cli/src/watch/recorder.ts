import { createHash } from 'node:crypto'
import { type Gamemode, isGamemode, rarityLabel, userNameKey } from '@fish-crab/sdk/constants'
import type { NewCatch, Outbox } from '@fish-crab/sdk/outbox'
import { CliError, EXIT } from '../core/errors.ts'
import type { PlayerLocation } from './gamemode.ts'
import type { Batch } from './log-file.ts'
import type { LogPosition, WatchedCatch } from './parser.ts'

/** Fields that the log does not have are absent. */
export interface RecordedCatch {
  readonly kind: 'fish' | 'crab'
  readonly name: string
  readonly rarity?: string
  readonly gamemode: Gamemode
  /** ISO 8601. */
  readonly caughtAt: string
  readonly lengthCm?: number
  readonly firstTime?: true
  readonly byAugment?: true
}

/** Held back until its gamemode is known. */
export interface HeldCatch extends Omit<RecordedCatch, 'gamemode'> {
  readonly gamemode: null
  /** The server, which is not a gamemode; `null` when the log names none. */
  readonly server: string | null
}

export type Recorder = ReturnType<typeof outboxRecorder>

/** `undefined` when it is unknown. */
type GamemodeResolver = (where: PlayerLocation) => Gamemode | undefined

/** The flag, else the log, else what is configured. On a server that is not a gamemode, only the flag applies. */
export function gamemodeResolver(flag: Gamemode | undefined, usual: Gamemode | undefined): GamemodeResolver {
  return ({ gamemode, elsewhere }) => flag ?? gamemode ?? (elsewhere === undefined ? usual : undefined)
}

interface LogOwner {
  readonly user: string
  readonly path: string
}

export async function readCheckpoint(outbox: Outbox, owner: LogOwner): Promise<Checkpoint | undefined> {
  return parseCheckpoint(await outbox.checkpoint(checkpointName(owner)))
}

// Without catches, the position is stored after this many bytes; only lines without catches are read again after a crash.
const STORE_EVERY = 256 * 1024
// Held catches are rewritten with each position.
const MAX_HELD = 1000

/** The position in the log and the held catches are stored in the transaction of the catches. */
export function outboxRecorder(
  outbox: Outbox,
  owner: LogOwner,
  { checkpoint, gamemodeOf }: { readonly checkpoint: Checkpoint | undefined; readonly gamemodeOf: GamemodeResolver },
) {
  const name = checkpointName(owner)
  let stored = checkpoint?.place
  let last = stored
  let held = checkpoint?.held ?? []
  const add = async (catches: readonly KnownCatch[], next: Checkpoint) => {
    const additions = catches.map(({ shown, one }) => toNewCatch(owner.user, one, shown.gamemode))
    const { addedIndexes } = await outbox.add(additions, { checkpoint: { name, value: formatCheckpoint(next) } })
    stored = next.place
    last = next.place
    held = next.held
    return addedIndexes.flatMap((index) => catches[index]?.shown ?? [])
  }
  return {
    /** Where an earlier run stopped. */
    place: stored,
    async release(): Promise<readonly RecordedCatch[]> {
      const { known, unknown } = partition(held, gamemodeOf)
      return stored && known.length > 0 ? add(known, { place: stored, held: unknown }) : []
    },
    held: () => held.length,
    /** Records a batch, all or nothing. @throws CliError `too_many_held` */
    async record({ catches, place }: Batch): Promise<readonly (RecordedCatch | HeldCatch)[]> {
      const isNear = stored?.head === place.head && Math.abs(place.offset - stored.offset) < STORE_EVERY
      if (catches.length === 0 && isNear) {
        last = place
        return []
      }
      const { known, unknown } = partition(catches, gamemodeOf)
      const fresh = unknown.filter(({ key }) => !held.some((one) => one.key === key))
      if (held.length + fresh.length > MAX_HELD) throw tooManyHeld()
      const added = await add(known, { place, held: [...held, ...fresh] })
      const shown = fresh.map((one) => ({ ...catchFields(one), gamemode: null, server: one.where.elsewhere ?? null }))
      return [...added, ...shown]
    },
    async finish(): Promise<void> {
      if (last && last !== stored) await add([], { place: last, held })
    },
  }
}

interface KnownCatch {
  readonly one: WatchedCatch
  readonly shown: RecordedCatch
}

function partition(catches: readonly WatchedCatch[], gamemodeOf: GamemodeResolver) {
  const known: KnownCatch[] = []
  const unknown: WatchedCatch[] = []
  for (const one of catches) {
    const gamemode = gamemodeOf(one.where)
    if (gamemode) known.push({ one, shown: { ...catchFields(one), gamemode } })
    else unknown.push(one)
  }
  return { known, unknown }
}

function catchFields({ found, caughtAt }: WatchedCatch): Omit<RecordedCatch, 'gamemode'> {
  const { kind, name, lengthCm, firstTime, byAugment } = found
  return {
    kind,
    name,
    ...(found.kind === 'fish' ? { rarity: rarityLabel(found.rarity) } : {}),
    caughtAt: new Date(caughtAt).toISOString(),
    ...(lengthCm === undefined ? {} : { lengthCm }),
    ...(firstTime ? { firstTime: true } : {}),
    ...(byAugment ? { byAugment: true } : {}),
  }
}

/** The key in the outbox: the same whenever, and under whatever name, the log is read. */
export function catchKey(user: string, { key }: WatchedCatch): string {
  return `watch:${userNameKey(user)}:${key}`
}

export function toNewCatch(user: string, one: WatchedCatch, gamemode: Gamemode): NewCatch {
  const { found, caughtAt } = one
  const fields = { name: found.name, key: catchKey(user, one), gamemode, caughtAt: new Date(caughtAt).toISOString() }
  return found.kind === 'fish' ? { kind: 'fish', rarity: found.rarity, ...fields } : { kind: 'crab', ...fields }
}

function checkpointName({ user, path }: LogOwner): string {
  return `watch:${userNameKey(user)}:${createHash('sha256').update(path).digest('hex')}`
}

function tooManyHeld(): CliError {
  return new CliError({
    code: 'too_many_held',
    message: `${MAX_HELD} catches are held back, the most that can be. Further catches stay in the log.`,
    hint: 'Set their gamemode: fish-cli watch LOG --gamemode GAMEMODE',
    exit: EXIT.failure,
  })
}

interface Checkpoint {
  readonly place: LogPosition
  /** Catches that were not queued because their gamemode is unknown. */
  readonly held: readonly WatchedCatch[]
}

const VERSION = 1

export function formatCheckpoint({ place, held }: Checkpoint): string {
  return JSON.stringify({ version: VERSION, ...place, ...(held.length > 0 && { held }) })
}

export function parseCheckpoint(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined
  try {
    const { version, head, generation, offset, anchor, at, last, gamemode, elsewhere, held = [] } = JSON.parse(text)
    const isRight =
      version === VERSION &&
      [head, anchor].every((one) => typeof one === 'string') &&
      Array.isArray(held) &&
      [generation, offset, at].every((one) => Number.isSafeInteger(one) && one >= 0)
    if (!isRight) return undefined
    const where = { gamemode: isGamemode(gamemode) ? gamemode : undefined, elsewhere }
    return { place: { head, generation, offset, anchor, at, last, ...where }, held }
  } catch {
    return undefined
  }
}
