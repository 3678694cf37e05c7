import { createHash } from 'node:crypto'
import { type Gamemode, rarityLabel, userNameKey } from '@fish-crab/sdk/constants'
import type { NewCatch, Outbox } from '@fish-crab/sdk/outbox'
import type { PlayerLocation } from './location.ts'
import type { Batch } from './log-reader.ts'
import type { LogPosition, WatchedCatch } from './parser.ts'
import { otherPlayer, type PlayerNames } from './players.ts'

/** A catch that was added from a log. Fields that the log does not contain are absent. */
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

/**
 * A catch that was not added, because its gamemode is unknown or the game runs as another player. The catch stays in the
 * log.
 */
export interface HeldCatch extends Omit<RecordedCatch, 'gamemode'> {
  readonly gamemode: null
  /** The server, which is not a gamemode, or `null` if the log does not name a server. */
  readonly server: string | null
  /** The player in the log, if the game runs as another player. */
  readonly player?: string
}

/** Returns the gamemode for a location, or `undefined` if the gamemode is unknown. */
export type GamemodeResolver = (where: PlayerLocation) => Gamemode | undefined

/** The gamemode in the log overrides `flag`. On a server that is not a gamemode, `usual` does not apply. */
export function gamemodeResolver(flag: Gamemode | undefined, usual: Gamemode | undefined): GamemodeResolver {
  return ({ gamemode, elsewhere }) => gamemode ?? flag ?? (elsewhere === undefined ? usual : undefined)
}

// If no catches are found, the position is stored each time that this number of bytes has been read. After a crash,
// only lines without catches are read again.
const STORE_EVERY = 256 * 1024

interface RecorderOptions {
  readonly user: string
  readonly path: string
  readonly gamemodeOf: GamemodeResolver
  readonly ownNames: PlayerNames
}

/**
 * Adds catches to the outbox. The position in a log is stored in the same transaction as the catches before this
 * position.
 */
export function outboxRecorder(outbox: Outbox, { user, path, gamemodeOf, ownNames }: RecorderOptions) {
  let stored: LogPosition | undefined
  let last: LogPosition | undefined
  return {
    /**
     * Adds the catches in one transaction.
     * @returns the catches that were not added before, and the catches that
     * are held
     */
    async record({ catches, position }: Pick<Batch, 'catches' | 'position'>) {
      last = position
      const isNear = stored?.head === position.head && Math.abs(position.offset - stored.offset) < STORE_EVERY
      if (catches.length === 0 && isNear) return []
      const known: RecordedCatch[] = []
      const additions: NewCatch[] = []
      const held: HeldCatch[] = []
      for (const one of catches) {
        const gamemode = gamemodeOf(one.where)
        const player = otherPlayer(one, ownNames)
        if (gamemode === undefined || player !== undefined) {
          const server = one.where.elsewhere ?? null
          held.push({ ...catchFields(one), gamemode: null, server, ...(player !== undefined && { player }) })
        } else {
          known.push({ ...catchFields(one), gamemode })
          additions.push(toNewCatch(user, one, gamemode))
        }
      }
      const { addedIndexes } = await outbox.add(additions, { checkpoint: checkpoint({ user, path }, position) })
      stored = position
      return [...addedIndexes.flatMap((index) => known[index] ?? []), ...held]
    },
    async finish(): Promise<void> {
      if (last && last !== stored) await outbox.add([], { checkpoint: checkpoint({ user, path }, last) })
    },
  }
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

/** The key of a catch in the outbox. The key does not depend on the time of reading or the name of the log. */
export function catchKey(user: string, { key }: WatchedCatch): string {
  return `watch:${userNameKey(user)}:${key}`
}

export function toNewCatch(user: string, one: WatchedCatch, gamemode: Gamemode): NewCatch {
  const { found, caughtAt } = one
  const fields = { name: found.name, key: catchKey(user, one), gamemode, caughtAt: new Date(caughtAt).toISOString() }
  return found.kind === 'fish' ? { kind: 'fish', rarity: found.rarity, ...fields } : { kind: 'crab', ...fields }
}

type LogOwner = Pick<RecorderOptions, 'user' | 'path'>

export async function readPosition(outbox: Outbox, owner: LogOwner): Promise<LogPosition | undefined> {
  return parsePosition(await outbox.checkpoint(checkpointName(owner)))
}

export function checkpoint(owner: LogOwner, position: LogPosition) {
  return { name: checkpointName(owner), value: formatPosition(position) }
}

function checkpointName({ user, path }: LogOwner): string {
  return `watch:${userNameKey(user)}:${createHash('sha256').update(path).digest('hex')}`
}

const VERSION = 1

export function formatPosition(position: LogPosition): string {
  return JSON.stringify({ version: VERSION, ...position })
}

export function parsePosition(text = '{}'): LogPosition | undefined {
  try {
    const { version, ...position } = JSON.parse(text)
    const isRight =
      version === VERSION &&
      [position.head, position.anchor].every((one) => typeof one === 'string') &&
      [position.offset, position.at].every((one) => Number.isSafeInteger(one) && one >= 0)
    return isRight ? position : undefined
  } catch {
    return undefined
  }
}
