import { LIMITS } from '../../contract/limits.ts'
import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { Crab, CrabCollection, Fish, FishCollection } from '../../contract/schemas/catches.ts'
import type { Fernet } from '../../fernet/index.ts'
import type { CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import { crabCollectionShape, fishCollectionShape } from '../shapes/catches.generated.ts'
import type { ApiPromise, ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/transport.ts'
import type { CrabInput, FishInput, Target } from './catch-input.ts'
import {
  type Detail,
  type Detailed,
  type IterateOptions,
  iteratePages,
  type ListOptions,
  listCatches,
} from './list-catches.ts'
import {
  type AddOptions,
  type AddResult,
  addCatches,
  checkCatches,
  type EncryptedCatches,
  encryptCatches,
  sendCatches,
} from './write-catches.ts'

/** The fish of a player. */
export interface FishResource {
  /**
   * Adds one fish or up to 500 as one record in one request. If the response is lost, the identical token is sent
   * again, so the fish are stored once.
   *
   * @throws ValidationError before anything is sent; ApiError, ConnectionError.
   * @example
   * await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
   * await client.fish.add([{ name: 'Cod', rarity: 1 }, { name: 'Koi', rarity: 7, caughtAt: new Date() }])
   */
  add(entries: FishInput | readonly FishInput[], options?: AddOptions): ApiPromise<AddResult>
  /**
   * A player's fish in one gamemode, oldest first. Requires no key.
   *
   * @throws NotFoundError when there is no such user; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fish } = await client.fish.list({ user: 'Alex', gamemode: 'earth' })
   */
  list(
    options: ListOptions & Detail,
  ): ApiPromise<Omit<FishCollection, 'fish'> & { fish: Detailed<Fish>[] } & ResponseMeta>
  list(options?: ListOptions): ApiPromise<FishCollection & ResponseMeta>
  /**
   * A player's fish one by one, oldest first, read page by page: for collections that are too large to keep in memory.
   *
   * @throws As `list`, when the page is read.
   * @example
   * for await (const { name, rarity } of client.fish.iterate({ user: 'Alex' })) console.log(name, rarity)
   */
  iterate(options: IterateOptions & Detail): AsyncGenerator<Detailed<Fish>, void, undefined>
  iterate(options?: IterateOptions): AsyncGenerator<Fish, void, undefined>
  /**
   * Encrypts fish without sending them, for example to store the token first. See `send`.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.fish.encrypt({ name: 'Salmon', rarity: 'Gold' })
   */
  encrypt(entries: FishInput | readonly FishInput[], target?: Target): Promise<EncryptedCatches>
  /**
   * Posts a token from `encrypt`. It is stored once, however often it is sent.
   *
   * @throws ValidationError before anything is sent; ApiError, ConnectionError.
   * @example
   * const { id, replayed } = await client.fish.send(encrypted)
   */
  send(encrypted: EncryptedCatches, options?: CallOptions): ApiPromise<AddResult>
}

/** The crabs of a player. */
export interface CrabsResource {
  /**
   * Adds one crab or up to 500, like `fish.add`; without entries, one plain crab.
   *
   * @throws As `fish.add`.
   * @example
   * await client.crabs.add()
   */
  add(entries?: CrabInput | readonly CrabInput[], options?: AddOptions): ApiPromise<AddResult>
  /**
   * A player's crabs in one gamemode, oldest first. Requires no key.
   *
   * @throws As `fish.list`.
   * @example
   * const { crab } = await client.crabs.list({ user: 'Alex', gamemode: 'earth' })
   */
  list(
    options: ListOptions & Detail,
  ): ApiPromise<Omit<CrabCollection, 'crab'> & { crab: Detailed<Crab>[] } & ResponseMeta>
  list(options?: ListOptions): ApiPromise<CrabCollection & ResponseMeta>
  /**
   * A player's crabs one by one, like `fish.iterate`.
   *
   * @throws As `list`, when the page is read.
   * @example
   * for await (const { name } of client.crabs.iterate({ user: 'Alex' })) console.log(name)
   */
  iterate(options: IterateOptions & Detail): AsyncGenerator<Detailed<Crab>, void, undefined>
  iterate(options?: IterateOptions): AsyncGenerator<Crab, void, undefined>
  /**
   * Encrypts crabs without sending them, like `fish.encrypt`.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.crabs.encrypt()
   */
  encrypt(entries?: CrabInput | readonly CrabInput[], target?: Target): Promise<EncryptedCatches>
  /**
   * Posts a token from `encrypt`, like `fish.send`.
   *
   * @throws As `fish.send`.
   * @example
   * const { id, replayed } = await client.crabs.send(encrypted)
   */
  send(encrypted: EncryptedCatches, options?: CallOptions): ApiPromise<AddResult>
}

export interface CatchesContext {
  readonly transport: Transport
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

/** `client.fish`. */
export function createFish(context: CatchesContext): FishResource {
  const writing = { ...context, kind: 'fish', route: PUBLIC_ROUTES.postFish } as const
  const reading = { ...context, route: PUBLIC_ROUTES.getFish, schema: fishCollectionShape } as const
  const list = (options: ListOptions = {}) => listCatches(reading, options)
  return {
    add: (entries, options = {}) => addCatches(writing, listOf(entries), options),
    // The overloads depend on an option, which the type checker cannot follow here.
    list: list as FishResource['list'],
    iterate: ((options = {}) =>
      iteratePages(list, ({ fish }) => fish, LIMITS.pageSize, options)) as FishResource['iterate'],
    encrypt: async (entries, target = {}) => encryptCatches(writing, checkCatches(writing, listOf(entries), target)),
    send: (encrypted, options = {}) => sendCatches(writing, encrypted, options),
  }
}

/** `client.crabs`. */
export function createCrabs(context: CatchesContext): CrabsResource {
  const writing = { ...context, kind: 'crab', route: PUBLIC_ROUTES.postCrab } as const
  const reading = { ...context, route: PUBLIC_ROUTES.getCrab, schema: crabCollectionShape } as const
  const list = (options: ListOptions = {}) => listCatches(reading, options)
  return {
    add: (entries = {}, options = {}) => addCatches(writing, listOf(entries), options),
    list: list as CrabsResource['list'],
    iterate: ((options = {}) =>
      iteratePages(list, ({ crab }) => crab, LIMITS.pageSize, options)) as CrabsResource['iterate'],
    encrypt: async (entries = {}, target = {}) =>
      encryptCatches(writing, checkCatches(writing, listOf(entries), target)),
    send: (encrypted, options = {}) => sendCatches(writing, encrypted, options),
  }
}

function listOf<Entry>(entries: Entry | readonly Entry[]): readonly Entry[] {
  return Array.isArray(entries) ? entries : [entries as Entry]
}
