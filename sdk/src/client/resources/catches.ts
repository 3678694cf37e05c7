import type { CrabCollection, FishCollection } from '../../contract/schemas/catches.ts'
import type { Fernet } from '../../fernet/index.ts'
import type { Answer } from '../answer.ts'
import type { CrabEntry, FishEntry } from '../entries.ts'
import type { Settings } from '../options.ts'
import type { Transport } from '../transport.ts'
import { type AddOptions, type AddResult, addCatches } from './add-catches.ts'
import { type ListOptions, listCatches } from './list-catches.ts'

/** The fish of a player. */
export interface FishResource {
  /**
   * Adds one fish or up to 500: encrypted, in one request and one record. Tries that follow a lost answer or a 429
   * send the same token again, which the service stores once.
   *
   * @throws ValidationError before anything is sent; FernetError when `fernetKey` is no key; ApiError, ConnectionError.
   * @example
   * await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
   * await client.fish.add([{ name: 'Cod', rarity: 1 }, { name: 'Koi', rarity: 7, caughtAt: new Date() }])
   */
  add(entries: FishEntry | readonly FishEntry[], options?: AddOptions): Promise<AddResult>
  /**
   * A player's fish in one gamemode, oldest first. Needs no key.
   *
   * @throws NotFoundError when there is no such user; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fish } = await client.fish.list({ user: 'Alex', gamemode: 'earth' })
   */
  list(options?: ListOptions): Promise<Answer<FishCollection>>
}

/** The crabs of a player. */
export interface CrabsResource {
  /**
   * Adds one crab or up to 500, like `fish.add`; without entries one plain crab.
   *
   * @throws As `fish.add`.
   * @example
   * await client.crabs.add()
   */
  add(entries?: CrabEntry | readonly CrabEntry[], options?: AddOptions): Promise<AddResult>
  /**
   * A player's crabs in one gamemode, oldest first. Needs no key.
   *
   * @throws As `fish.list`.
   * @example
   * const { crab } = await client.crabs.list({ user: 'Alex', gamemode: 'earth' })
   */
  list(options?: ListOptions): Promise<Answer<CrabCollection>>
}

/** What both resources stand on. */
export interface CatchesContext {
  readonly transport: Transport
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

const schemas = () => import('../../contract/schemas/catches.ts')

/** `client.fish`. */
export function createFish(context: CatchesContext): FishResource {
  const adding = { ...context, kind: 'fish', route: 'postFish' } as const
  const schema = async () => (await schemas()).fishCollectionSchema
  return {
    add: async (entries, options = {}) => addCatches(adding, listOf(entries), options),
    list: async (options = {}) => listCatches(context, 'getFish', options, schema),
  }
}

/** `client.crabs`. */
export function createCrabs(context: CatchesContext): CrabsResource {
  const adding = { ...context, kind: 'crab', route: 'postCrab' } as const
  const schema = async () => (await schemas()).crabCollectionSchema
  return {
    add: async (entries = {}, options = {}) => addCatches(adding, listOf(entries), options),
    list: async (options = {}) => listCatches(context, 'getCrab', options, schema),
  }
}

function listOf<Entry>(entries: Entry | readonly Entry[]): readonly Entry[] {
  return Array.isArray(entries) ? entries : [entries as Entry]
}
