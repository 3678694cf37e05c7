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
import { createSpeciesCensus, type SpeciesPolicy } from './species-census.ts'

interface SpeciesReaderOptions {
  readonly storage: FishStorage
  readonly listUsers: (page: { readonly limit: number; readonly cursor?: string | undefined }) => Promise<UserList>
  /** Whether the catches of a user count. */
  readonly isCounted: (user: User) => boolean
  readonly responses: EncodedResponses
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
}

/** The censuses of one gamemode, or of all gamemodes. */
interface CensusState {
  latest?: Census
  /** Start of the latest census, in Unix milliseconds. */
  startedAt: number
  running?: Promise<Census>
}

const MAX_AGE_MS = 10 * 60 * 1000
const MAX_WAIT_MS = 10_000
const USERS_AT_ONCE = 100

/**
 * Creates a reader of the known species. A census reads the tallies of all players and takes seconds, so one census runs
 * at a time, at most every ten minutes for each gamemode. Requests get the latest census while the next census runs.
 */
export function createSpeciesReader(options: SpeciesReaderOptions) {
  const { responses, clock, schedule, logger, isAccepting } = options
  const states = new Map<string, CensusState>()
  let lastRun: Promise<unknown> = Promise.resolve()

  async function runAfter(previous: Promise<unknown>, state: CensusState, gamemode?: Gamemode): Promise<Census> {
    await previous
    const startedAt = clock()
    try {
      const bytes = await encodeJson(await countSpecies(options, gamemode))
      const text = new TextDecoder().decode(bytes)
      const latest = { bytes, version: (await sha256Hex(text)).slice(0, 32) }
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
    const key = gamemode ?? ''
    const state = states.get(key) ?? { startedAt: 0 }
    states.set(key, state)
    const { latest } = state
    const isFresh = latest && clock() - state.startedAt < MAX_AGE_MS
    const running = isFresh ? undefined : (state.running ?? start(state, gamemode))
    return latest ?? waitFor(running as Promise<Census>, signal, schedule)
  }

  return async (request: Request, { gamemode, client }: SpeciesRequest): Promise<HandlerResponse> => {
    const { bytes, version } = await read(request.signal, gamemode)
    const response = responses(request, {
      etag: `W/"species.${version}"`,
      version,
      name: `species ${gamemode ?? ''}`,
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

async function countSpecies(options: SpeciesReaderOptions, gamemode?: Gamemode): Promise<KnownSpecies> {
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
