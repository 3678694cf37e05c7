import { HEADERS, KINDS, type Kind, type User, type UserList } from '@fish-crab/sdk/contract'
import type { CollectionTallies, FishStorage } from '../../storage/core/types.ts'
import type { Logger } from '../core/host.ts'
import { type Schedule, yieldToEvents } from '../core/schedule.ts'
import { HttpError } from '../http/http-error.ts'

interface CensusOptions<Result> {
  /** The counted things, for errors. @example 'species' */
  readonly what: string
  /** Counts the catches of all players. The key names the part that is counted, such as a gamemode. */
  readonly count: (key: string) => Promise<Result>
  /** Maximum number of keys whose results are stored. @default all */
  readonly capacity?: number
  readonly clock: () => number
  readonly schedule: Schedule
  readonly logger: Logger
  readonly isAccepting: () => boolean
}

/** Results that are counted over all players. */
export interface Census<Result> {
  /** Returns the latest result. Waits only for the first result of a key. */
  read(key: string, signal: AbortSignal): Promise<Result>
  /** Returns the latest result, if any, and counts nothing. */
  latest(key: string): Result | undefined
}

interface CensusState<Result> {
  latest?: Result
  /** Start of the latest count, in Unix milliseconds. */
  startedAt: number
  running?: Promise<Result>
}

const MAX_AGE_MS = 10 * 60 * 1000
const MAX_WAIT_MS = 10_000
const USERS_AT_ONCE = 100
/** Maximum number of counts that wait or run. Clients choose the keys, so more counts could delay the others for long. */
const MAX_PENDING = 3

/**
 * Creates a census. A count reads the tallies of all players and takes seconds, so one count runs at a time, at most every
 * ten minutes for each key. Requests get the latest result while the next count runs.
 */
export function createCensus<Result>(options: CensusOptions<Result>): Census<Result> {
  const { what, count, capacity = Number.POSITIVE_INFINITY, clock, schedule, logger, isAccepting } = options
  const states = new Map<string, CensusState<Result>>()
  let lastRun: Promise<unknown> = Promise.resolve()
  let pending = 0

  async function runAfter(previous: Promise<unknown>, state: CensusState<Result>, key: string): Promise<Result> {
    await previous
    const startedAt = clock()
    try {
      const latest = await count(key)
      Object.assign(state, { latest, startedAt })
      return latest
    } finally {
      delete state.running
      pending -= 1
    }
  }

  function start(state: CensusState<Result>, key: string): void {
    pending += 1
    const running = runAfter(lastRun, state, key)
    lastRun = running.catch((err: unknown) => {
      // A host that stops closes the storage during a count.
      if (isAccepting()) logger.error({ err }, `the ${what} could not be counted`)
    })
    state.running = running
  }

  return {
    async read(key, signal) {
      const state = stateOf(key)
      const { latest } = state
      const isFresh = latest !== undefined && clock() - state.startedAt < MAX_AGE_MS
      if (!isFresh && !state.running && pending < MAX_PENDING) start(state, key)
      if (latest !== undefined) return latest
      if (!state.running) throw stillCounting()
      return waitFor(state.running, signal)
    },
    latest: (key) => states.get(key)?.latest,
  }

  function stateOf(key: string): CensusState<Result> {
    const state = states.get(key) ?? { startedAt: 0 }
    // The key that was read last is the last one.
    states.delete(key)
    states.set(key, state)
    for (const [oldest, { running }] of states) {
      if (states.size <= capacity) break
      if (!running && oldest !== key) states.delete(oldest)
    }
    return state
  }

  function stillCounting(): HttpError {
    return new HttpError('unavailable', {
      message: `The ${what} are still being counted. Please try again in a while.`,
      headers: { [HEADERS.retryAfter]: String(MAX_WAIT_MS / 1000) },
    })
  }

  /** Waits for a count, which continues if the client leaves or the wait ends. */
  async function waitFor(running: Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const cancel = schedule(MAX_WAIT_MS, () => reject(stillCounting()))
    try {
      return await Promise.race([running, ended])
    } finally {
      cancel()
      signal.removeEventListener('abort', abort)
    }
  }
}

/** The players that a census counts. */
export interface CountedPlayers {
  readonly storage: Pick<FishStorage, 'collectionTallies'>
  readonly listUsers: (page: { readonly limit: number; readonly cursor?: string | undefined }) => Promise<UserList>
  /** Whether the catches of a user count. */
  readonly isCounted: (user: User) => boolean
}

export interface CountedCollection extends CollectionTallies {
  readonly kind: Kind
  readonly gamemode: string
}

interface CountedPlayer {
  readonly owner: string
  /** The collections with catches: at least one. */
  readonly collections: readonly CountedCollection[]
}

/** Yields the players who have catches in these gamemodes, and gives way to other events after each player. */
export async function* countedPlayers(
  { storage, listUsers, isCounted }: CountedPlayers,
  gamemodes: Iterable<string>,
): AsyncGenerator<CountedPlayer> {
  const names = [...gamemodes]
  let cursor: string | undefined
  do {
    const page = await listUsers({ limit: USERS_AT_ONCE, cursor })
    for (const user of page.users) {
      if (!isCounted(user)) continue
      const collections: CountedCollection[] = []
      // Collections are read a few at a time, because all reads at once would be one long step.
      for (const gamemode of names) {
        const both = KINDS.map(async (kind) => {
          return { kind, gamemode, ...(await storage.collectionTallies({ owner: user.id, kind, gamemode })) }
        })
        collections.push(...(await Promise.all(both)).filter(({ count }) => count > 0))
      }
      if (collections.length > 0) yield { owner: user.id, collections }
      // The memory storage reads without giving way.
      await yieldToEvents()
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
