import { platform } from '#platform'
import type { Kind } from '../../contract/kinds.ts'
import { OWN_ROUTES, PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { Crab, CrabCollection, CrabSummary, Fish, FishCollection, FishSummary } from '../../contract/schemas.ts'
import type { CallOptions } from '../core/call-options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import {
  crabCollectionShape,
  crabSummaryShape,
  fishCollectionShape,
  fishSummaryShape,
} from '../shapes/shapes.generated.ts'
import type { ApiPromise, ResponseMeta } from '../transport/call.ts'
import type { CrabInput, FishInput } from './catch-input.ts'
import type { MoveOptions, RemoveOptions } from './change-catches.ts'
import { deferred } from './deferred.ts'
import {
  type DetailedEntry,
  type DetailOption,
  ITERATE_OPTIONS,
  type IterateOptions,
  iteratePages,
  type ListOptions,
  listCatches,
  type Page,
  type SummaryOptions,
  summarizeCatches,
} from './list-catches.ts'
import type { Target } from './target.ts'
import type { AddOptions, AddResult, EncryptedCatches, WriteContext } from './write-catches.ts'

/** A collection whose entries have their details. */
type WithDetails<Collection, Field extends keyof Collection, Entry extends Fish | Crab> = Omit<Collection, Field> & {
  [Key in Field]: DetailedEntry<Entry>[]
}

/** The catches of one kind. The examples are those of fish. */
export interface CatchesResource<Input, Entry extends Fish | Crab, Collection, DetailedCollection, Summary> {
  /**
   * Adds one catch or up to 500 as one record in one request. If the response is lost, the identical token is sent again,
   * so the catches are stored once.
   *
   * @throws ValidationError before anything is sent; ApiError, ConnectionError.
   * @example
   * await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
   * await client.fish.add([{ name: 'Cod', rarity: 1 }, { name: 'Koi', rarity: 7, caughtAt: new Date() }])
   */
  add(entries: Input | readonly Input[], options?: AddOptions): ApiPromise<AddResult>
  /**
   * A player's catches in one gamemode, oldest first. Requires no key.
   *
   * @throws NotFoundError when there is no such user; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fish } = await client.fish.list({ user: 'Alex', gamemode: 'earth' })
   */
  list(options: ListOptions & DetailOption): ApiPromise<DetailedCollection & ResponseMeta>
  list(options?: ListOptions): ApiPromise<Collection & ResponseMeta>
  /**
   * A player's catches one by one, oldest first, read page by page: for collections that are too large to keep in memory.
   *
   * @throws As `list`, when the page is read.
   * @example
   * for await (const { name, rarity } of client.fish.iterate({ user: 'Alex' })) console.log(name, rarity)
   */
  iterate(options: IterateOptions & DetailOption): AsyncGenerator<DetailedEntry<Entry>, void, undefined>
  iterate(options?: IterateOptions): AsyncGenerator<Entry, void, undefined>
  /**
   * How often a player has caught what in one gamemode, most caught first: one small response for any number of catches.
   *
   * @throws As `list`.
   * @example
   * const { total, unique, species } = await client.fish.summary({ user: 'Alex', gamemode: 'earth' })
   */
  summary(options?: SummaryOptions): ApiPromise<Summary & ResponseMeta>
  /**
   * Encrypts catches without sending them, for example to store the token first. See `send`.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.fish.encrypt({ name: 'Salmon', rarity: 'Gold' })
   */
  encrypt(entries: Input | readonly Input[], target?: Target): Promise<EncryptedCatches>
  /**
   * Posts a token from `encrypt`. It is stored once, however often it is sent.
   *
   * @throws ValidationError before anything is sent; ApiError, ConnectionError.
   * @example
   * const { id, replayed } = await client.fish.send(encrypted)
   */
  send(encrypted: EncryptedCatches, options?: CallOptions): ApiPromise<AddResult>
  /**
   * Removes one record of a player with all its entries, by the player's password. The token by which it was added stays
   * used: sent again, it stores nothing. A retry that finds no such record succeeds.
   *
   * @param id The id from `list` with `detail: 'full'`.
   * @throws AuthenticationError for a wrong name or password; NotFoundError with code `record_not_found`, also for a record
   *   of another player; ApiError, ConnectionError; ValidationError before anything is sent.
   * @example
   * await client.fish.remove(id, { password })
   */
  remove(id: string, options: RemoveOptions): ApiPromise<ResponseMeta>
  /**
   * Moves one record of a player with all its entries to another gamemode, by the player's password; its id and times stay.
   * It succeeds when the record is there already.
   *
   * @param id The id from `list` with `detail: 'full'`.
   * @throws As `remove`.
   * @example
   * await client.fish.move(id, { gamemode: 'earth', to: 'oneblock', password })
   */
  move(id: string, options: MoveOptions): ApiPromise<ResponseMeta>
}

/** The fish of a player. */
export type FishResource = CatchesResource<
  FishInput,
  Fish,
  FishCollection,
  WithDetails<FishCollection, 'fish', Fish>,
  FishSummary
>

/** The crabs of a player. */
export interface CrabsResource
  extends CatchesResource<CrabInput, Crab, CrabCollection, WithDetails<CrabCollection, 'crab', Crab>, CrabSummary> {
  /**
   * Adds one crab or up to 500, like `fish.add`; without entries, one plain crab.
   *
   * @throws As `fish.add`.
   * @example
   * await client.crabs.add()
   */
  add(entries?: CrabInput | readonly CrabInput[], options?: AddOptions): ApiPromise<AddResult>
  /**
   * Encrypts crabs without sending them, like `fish.encrypt`; without entries, one plain crab.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.crabs.encrypt()
   */
  encrypt(entries?: CrabInput | readonly CrabInput[], target?: Target): Promise<EncryptedCatches>
}

type CatchesContext = Pick<WriteContext, 'transport' | 'settings' | 'fernet'>

export function createFish(context: CatchesContext): FishResource {
  return createCatches(context, 'fish', fishCollectionShape, fishSummaryShape) as FishResource
}

export function createCrabs(context: CatchesContext): CrabsResource {
  return createCatches(context, 'crab', crabCollectionShape, crabSummaryShape) as CrabsResource
}

type AnyInput = FishInput | CrabInput

// The overloads of `list` and `iterate` depend on an option, which the type checker cannot follow here.
function createCatches<K extends Kind, Collection extends Page & { readonly [Key in K]: (Fish | Crab)[] }>(
  context: CatchesContext,
  kind: K,
  shape: ResponseShape<Collection>,
  summaryShape: ResponseShape<FishSummary | CrabSummary>,
) {
  const name = kind === 'fish' ? 'Fish' : 'Crab'
  const writing = { ...context, kind, route: PUBLIC_ROUTES[`post${name}`] }
  const reading = { ...context, route: PUBLIC_ROUTES[`get${name}`] }
  const list = (options: ListOptions = {}) => listCatches({ ...reading, shape }, options)
  return {
    list,
    iterate: (options: IterateOptions = {}) => iteratePages(list, (page) => page[kind], options, ITERATE_OPTIONS),
    summary: (options: SummaryOptions = {}) => summarizeCatches({ ...reading, shape: summaryShape }, options),
    add: (entries: AnyInput | readonly AnyInput[] = {}, options: AddOptions = {}) =>
      deferred(({ addCatches }) => addCatches(writing, [entries].flat(), options)),
    encrypt: async (entries: AnyInput | readonly AnyInput[] = {}, target: Target = {}) =>
      (await platform.loadOnDemand()).encryptInput(writing, [entries].flat(), target),
    send: (encrypted: EncryptedCatches, options: CallOptions = {}) =>
      deferred(({ sendCatches }) => sendCatches(writing, encrypted, options)),
    remove: (id: string, options: RemoveOptions) =>
      deferred(({ removeRecord }) => removeRecord({ ...context, route: OWN_ROUTES[`deleteOwn${name}`] }, id, options)),
    move: (id: string, options: MoveOptions) =>
      deferred(({ moveRecord }) => moveRecord({ ...context, route: OWN_ROUTES[`moveOwn${name}`] }, id, options)),
  }
}
