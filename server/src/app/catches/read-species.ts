import { type Gamemode, HEADERS, KINDS, type KnownSpecies, type User, type UserList } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { Logger } from '../core/host.ts'
import { type Schedule, yieldToEvents } from '../core/schedule.ts'
import { createSlices, encodeJson } from '../core/slices.ts'
import { HttpError } from '../http/http-error.ts'
import type { HandlerResponse } from '../http/response.ts'
import type { EncodedResponses } from './encoded-response.ts'
import type { Gamemodes } from './gamemodes.ts'
import { createSpeciesCensus, knownKey, type SpeciesPolicy } from './species-census.ts'

interface KnownSpeciesOptions {
  readonly storage: FishStorage
  readonly listUsers: (page: { readonly limit: number; readonly cursor?: string | undefined }) => Promise<UserList>
  /** Whether the catches of a user count. */
  readonly isCounted: (user: User) => boolean
  readonly gamemodes: Gamemodes
  readonly policy: SpeciesPolicy
  readonly clock: () => number
  readonly schedule: Schedule
  readonly logger: Logger
  readonly isAccepting: () => boolean
}

interface SpeciesRequest {
  /** @default all gamemodes */
  readonly gamemode?: Gamemode | undefined
  /** Key of the site of the client, for its turns in the encoder's queue. */
  readonly client: string
}

/** The encoded list of species, and a text that changes whenever the list changes. */
interface Census {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly version: string
  readonly keys: KnownKeys
}

/** The keys of the known species by {@link knownKey}, and a text that changes whenever they change. */
interface KnownKeys {
  readonly keys: ReadonlySet<string>
  readonly version: string
}

/** The known species of the service. */
export interface KnownSpeciesReader {
  /** Waits for the first census. */
  read(signal: AbortSignal, gamemode?: Gamemode): Promise<Census>
  /** The species of all gamemodes. @default none: no client has read them yet */
  keys(): Promise<KnownKeys | undefined>
}

/** The censuses of one gamemode, or of all gamemodes. */
interface CensusState {
  latest?: Census
  /** Start of the latest census, in Unix milliseconds. */
  startedAt: number
  running?: Promise<Census>
}

/** The name of the census of all gamemodes. */
const ALL = ''

const MAX_AGE_MS = 10 * 60 * 1000
const MAX_WAIT_MS = 10_000
const USERS_AT_ONCE = 100

/**
 * Creates a reader of the known species. A census reads the tallies of all players and takes seconds, so one census runs
 * at a time, at most every ten minutes for each gamemode. Requests get the latest census while the next census runs.
 */
export function createKnownSpecies(options: KnownSpeciesOptions): KnownSpeciesReader {
  const { policy, clock, schedule, logger, isAccepting } = options
  const listed = policy.list && keysOf(policy.list)
  const states = new Map<string, CensusState>()
  let lastRun: Promise<unknown> = Promise.resolve()

  async function runAfter(previous: Promise<unknown>, state: CensusState, gamemode?: Gamemode): Promise<Census> {
    await previous
    const startedAt = clock()
    try {
      const known = await countSpecies(options, gamemode)
      const bytes = await encodeJson(known)
      const text = new TextDecoder().decode(bytes)
      const latest = { bytes, version: (await sha256Hex(text)).slice(0, 32), keys: await keysOf(known.species) }
      Object.assign(state, { latest, startedAt })
      return latest
    } finally {
      delete state.running
    }
  }

  function start(state: CensusState, gamemode?: Gamemode): Promise<Census> {
    const running = runAfter(lastRun, state, gamemode)
    lastRun = running.catch((err: unknown) => {
      // A host that stops closes the storage during a census.
      if (isAccepting()) logger.error({ err }, 'the census of species failed')
    })
    state.running = running
    return running
  }

  async function read(signal: AbortSignal, gamemode?: Gamemode): Promise<Census> {
    const key = gamemode ?? ALL
    const state = states.get(key) ?? { startedAt: 0 }
    states.set(key, state)
    const { latest } = state
    const isFresh = latest && clock() - state.startedAt < MAX_AGE_MS
    const running = isFresh ? undefined : (state.running ?? start(state, gamemode))
    return latest ?? waitFor(running as Promise<Census>, signal, schedule)
  }

  return { read, keys: async () => listed ?? states.get(ALL)?.latest?.keys }
}

/** The keys are at most 2,000. */
async function keysOf(species: readonly Pick<KnownSpecies['species'][number], 'kind' | 'name'>[]): Promise<KnownKeys> {
  const keys = new Set(species.map(({ kind, name }) => knownKey(kind, name)))
  return { keys, version: (await sha256Hex([...keys].sort().join('\n'))).slice(0, 32) }
}

export function createSpeciesReader({ read }: KnownSpeciesReader, responses: EncodedResponses) {
  return async (request: Request, { gamemode, client }: SpeciesRequest): Promise<HandlerResponse> => {
    const { bytes, version } = await read(request.signal, gamemode)
    const response = responses(request, {
      etag: `W/"species.${version}"`,
      version,
      name: `species ${gamemode ?? ALL}`,
      client,
    })
    return response.unchanged() ?? response.cached() ?? response.shared(async () => bytes)
  }
}

/** Waits for a census, which continues if the client leaves or the wait ends. */
async function waitFor(running: Promise<Census>, signal: AbortSignal, schedule: Schedule): Promise<Census> {
  signal.throwIfAborted()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const cancel = schedule(MAX_WAIT_MS, () =>
    reject(
      new HttpError('unavailable', {
        message: 'The species are still being counted. Please try again in a while.',
        headers: { [HEADERS.retryAfter]: String(MAX_WAIT_MS / 1000) },
      }),
    ),
  )
  try {
    return await Promise.race([running, ended])
  } finally {
    cancel()
    signal.removeEventListener('abort', abort)
  }
}

async function countSpecies(options: KnownSpeciesOptions, gamemode?: Gamemode): Promise<KnownSpecies> {
  const { storage, listUsers, isCounted, gamemodes, policy } = options
  const slices = createSlices()
  const census = createSpeciesCensus(policy)
  const names = gamemode === undefined ? gamemodes.names : [gamemode]

  async function addPlayer({ id: owner }: User): Promise<void> {
    let hasCatches = false
    const collections: Parameters<typeof census.addPlayer>[0][number][] = []
    // Collections are read a few at a time, because all reads at once would be one long step.
    for (const name of names) {
      for (const { kind, count, species } of await Promise.all(
        KINDS.map(async (kind) => ({ kind, ...(await storage.collectionTallies({ owner, kind, gamemode: name })) })),
      )) {
        hasCatches ||= count > 0
        // A collection with more than 10,000 species returns none of them.
        if (species) collections.push({ kind, species })
      }
    }
    if (hasCatches) await census.addPlayer(collections, slices)
  }

  let cursor: string | undefined
  do {
    const page = await listUsers({ limit: USERS_AT_ONCE, cursor })
    for (const user of page.users) {
      if (!isCounted(user)) continue
      await addPlayer(user)
      // The memory storage reads without giving way.
      await yieldToEvents()
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return census.result(slices)
}
