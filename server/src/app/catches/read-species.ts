import type { Gamemode, KnownSpecies } from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import type { Logger } from '../core/host.ts'
import type { Schedule } from '../core/schedule.ts'
import { createSlices, encodeJson } from '../core/slices.ts'
import type { HandlerResponse } from '../http/response.ts'
import { type CountedPlayers, countedPlayers, createCensus } from './census.ts'
import type { EncodedResponses } from './encoded-response.ts'
import type { Gamemodes } from './gamemodes.ts'
import { createSpeciesCensus, knownKey, type SpeciesPolicy } from './species-census.ts'

interface KnownSpeciesOptions extends CountedPlayers {
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
interface EncodedSpecies {
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
  /** Waits for the first count. */
  read(signal: AbortSignal, gamemode?: Gamemode): Promise<EncodedSpecies>
  /** The species of all gamemodes. @default none: no client has read them yet */
  keys(): Promise<KnownKeys | undefined>
}

/** The key of the census of all gamemodes. */
const ALL = ''

/** Creates a reader of the species that players of the service have. */
export function createKnownSpecies(options: KnownSpeciesOptions): KnownSpeciesReader {
  const { policy, gamemodes } = options
  const listed = policy.list && keysOf(policy.list)
  const census = createCensus({
    ...options,
    what: 'species',
    async count(key): Promise<EncodedSpecies> {
      const known = await countSpecies(options, key === ALL ? gamemodes.names : [key])
      const bytes = await encodeJson(known)
      const text = new TextDecoder().decode(bytes)
      return { bytes, version: (await sha256Hex(text)).slice(0, 32), keys: await keysOf(known.species) }
    },
  })
  return {
    read: (signal, gamemode = ALL) => census.read(gamemode, signal),
    keys: async () => listed ?? census.latest(ALL)?.keys,
  }
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

async function countSpecies(options: KnownSpeciesOptions, gamemodes: readonly string[]): Promise<KnownSpecies> {
  const slices = createSlices()
  const census = createSpeciesCensus(options.policy)
  for await (const { collections } of countedPlayers(options, gamemodes)) {
    // A collection with more than 10,000 species returns none of them.
    const listed = collections.map(({ kind, species }) => ({ kind, species: species ?? [] }))
    await census.addPlayer(listed, slices)
  }
  return census.result(slices)
}
