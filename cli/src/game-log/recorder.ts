import { createHash } from 'node:crypto'
import { type Gamemode, rarityLabel, userNameKey } from '@fish-crab/sdk/constants'
import type { NewCatch, Outbox } from '@fish-crab/sdk/outbox'
import { usageError } from '../failures/cli-error.ts'
import type { WatchedCatch } from './interpret.ts'
import { type Place, placeText, readPlace } from './place.ts'
import type { Batch } from './read-on.ts'

/** A catch as `watch` shows it. What the log did not tell is absent. */
export interface ShownCatch {
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

/** Where what was watched goes. */
export interface Recorder {
  /** Where reading ended before. */
  place(): Promise<Place | undefined>
  /** Keeps a batch. @returns those of its catches that are new */
  record(batch: Batch): Promise<readonly ShownCatch[]>
  /** Keeps the last place. */
  finish(): Promise<void>
}

/** Decides in which gamemode a catch was made. @throws CliError when nothing says it */
export type GamemodeOf = (detected: Gamemode | undefined) => Gamemode

/**
 * Which gamemode counts: the flag, else what the log says, else what environment, profile or settings say.
 *
 * @throws CliError when nothing says it; what was read then stays unread
 */
export function gamemodeChoice(flag: Gamemode | undefined, usual: Gamemode | undefined): GamemodeOf {
  return (detected) => {
    const gamemode = flag ?? detected ?? usual
    if (gamemode) return gamemode
    throw usageError('The log does not say in which gamemode this was caught.', 'Add --gamemode GAMEMODE.')
  }
}

/** What a recorder goes by. */
export interface RecorderOptions {
  readonly user: string
  /** The absolute path of the log. */
  readonly path: string
  readonly gamemodeOf: GamemodeOf
}

// A place alone is written after so many bytes: what lies between is read again, and tells of no catch.
const PLACE_EVERY = 256 * 1024

/** Keeps catches in an outbox, each once, and in the same step the place up to which the log was read. */
export function outboxRecorder(outbox: Outbox, { user, path, gamemodeOf }: RecorderOptions): Recorder {
  const owner = userNameKey(user)
  const name = `watch:${owner}:${createHash('sha256').update(path).digest('hex')}`
  let kept: Place | undefined
  let last: Place | undefined
  const bookmark = (place: Place) => ({ name, value: placeText(place) })
  return {
    async place() {
      kept = readPlace(await outbox.bookmark(name))
      return kept
    },
    async record({ catches, place }) {
      last = place
      const isNear = kept?.head === place.head && Math.abs(place.offset - kept.offset) < PLACE_EVERY
      if (catches.length === 0 && isNear) return []
      const shown = catches.map((one) => shownCatch(one, gamemodeOf))
      const additions = catches.map((one, index) => newCatch(one, shown[index], `watch:${owner}:${one.key}`))
      const { added } = await outbox.add(additions, { bookmark: bookmark(place) })
      kept = place
      // What was known is what was read before, so it comes first.
      return shown.slice(shown.length - added)
    },
    async finish() {
      if (last && last !== kept) await outbox.add([], { bookmark: bookmark(last) })
      kept = last
    },
  }
}

/** Keeps nothing. */
export function dryRecorder(gamemodeOf: GamemodeOf): Recorder {
  return {
    place: async () => undefined,
    record: async ({ catches }) => catches.map((one) => shownCatch(one, gamemodeOf)),
    finish: async () => {},
  }
}

function shownCatch({ found, caughtAt, gamemode }: WatchedCatch, gamemodeOf: GamemodeOf): ShownCatch {
  const { kind, name, lengthCm, firstTime, byAugment } = found
  return {
    kind,
    name,
    ...(found.kind === 'fish' ? { rarity: rarityLabel(found.rarity) } : {}),
    gamemode: gamemodeOf(gamemode),
    caughtAt: new Date(caughtAt).toISOString(),
    ...(lengthCm === undefined ? {} : { lengthCm }),
    ...(firstTime ? { firstTime: true } : {}),
    ...(byAugment ? { byAugment: true } : {}),
  }
}

function newCatch({ found }: WatchedCatch, shown: ShownCatch | undefined, key: string): NewCatch {
  const { name } = found
  const fields = { name, key, gamemode: shown?.gamemode, caughtAt: shown?.caughtAt }
  return found.kind === 'fish' ? { kind: 'fish', rarity: found.rarity, ...fields } : { kind: 'crab', ...fields }
}
