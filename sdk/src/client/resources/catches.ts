import { loadOnDemand } from '#on-demand'
import type { Kind } from '../../contract/kinds.ts'
import { PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { Crab, CrabCollection, CrabSummary, Fish, FishCollection, FishSummary } from '../../contract/schemas.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import {
  crabCollectionShape,
  crabSummaryShape,
  fishCollectionShape,
  fishSummaryShape,
} from '../shapes/shapes.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { CrabInput, DetailedEntry, FishInput } from './catch-input.ts'
import { deferred } from './deferred.ts'
import { iteratePages } from './pages.ts'
import { limitIssue, resolveTarget, TARGET, type Target } from './target.ts'
import type {
  AddOptions,
  AddResult,
  ClientContext,
  EncryptedCatches,
  MoveOptions,
  RemoveOptions,
} from './write-catches.ts'

/** Options of `list`. */
export interface ListOptions extends CallOptions, Target {
  /** `'full'` adds the `id` of the record, the index `entry` in the record, and `caughtAt` to each entry. */
  readonly detail?: 'full' | undefined
  /** Entries per page, 1 to 1000. @default all entries in one response */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** Options of `summary`. */
interface SummaryOptions extends CallOptions, Target {}

interface DetailOption {
  /** Adds `id`, `entry` and `caughtAt` to each entry. */
  readonly detail: 'full'
}

/** Options of `iterate`. */
export interface IterateOptions extends Omit<ListOptions, 'limit' | 'cursor'> {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

/** A collection whose entries have their details. */
type WithDetails<Collection, Field extends keyof Collection, Entry extends Fish | Crab> = Omit<Collection, Field> & {
  [Key in Field]: DetailedEntry<Entry>[]
}

/** The catches of one kind. The examples use fish. */
export interface CatchesResource<Input, Entry extends Fish | Crab, Collection, DetailedCollection, Summary> {
  /**
   * Adds 1 to 500 catches, as one record in one request. If the response is lost, the client sends the same token
   * again, and the service stores the catches only once.
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
   * Yields a player's catches, oldest first. The catches are read page by page. Use `iterate` for collections that are
   * too large to keep in memory.
   *
   * @throws The errors of `list`, when a page is read.
   * @example
   * for await (const { name, rarity } of client.fish.iterate({ user: 'Alex' })) console.log(name, rarity)
   */
  iterate(options: IterateOptions & DetailOption): AsyncGenerator<DetailedEntry<Entry>, void, undefined>
  iterate(options?: IterateOptions): AsyncGenerator<Entry, void, undefined>
  /**
   * Counts a player's catches in one gamemode by species, most caught first. The response stays small for any number of
   * catches.
   *
   * @throws The errors of `list`.
   * @example
   * const { total, unique, species } = await client.fish.summary({ user: 'Alex', gamemode: 'earth' })
   */
  summary(options?: SummaryOptions): ApiPromise<Summary & ResponseMeta>
  /**
   * Encrypts catches without sending them, for example to store the token first. Send the result with `send`.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.fish.encrypt({ name: 'Salmon', rarity: 'Gold' })
   */
  encrypt(entries: Input | readonly Input[], target?: Target): Promise<EncryptedCatches>
  /**
   * Sends a token from `encrypt`. The service stores the catches only once, however often the token is sent.
   *
   * @throws ValidationError before anything is sent; ApiError, ConnectionError.
   * @example
   * const { id, replayed } = await client.fish.send(encrypted)
   */
  send(encrypted: EncryptedCatches, options?: CallOptions): ApiPromise<AddResult>
  /**
   * Removes one record of a player with all its entries, or only one `entry`. Requires the player's password. Sending the
   * token of the record again stores nothing. A retry that finds no such record or entry succeeds.
   *
   * @param id The id from `list` with `detail: 'full'`.
   * @throws AuthenticationError for a wrong name or password; NotFoundError with code `record_not_found`, also for a record
   *   of another player, or `entry_not_found`; ApiError, ConnectionError; ValidationError before anything is sent.
   * @example
   * await client.fish.remove(id, { password })
   * await client.fish.remove(id, { entry: 3, password }) // only the fourth fish of the record
   */
  remove(id: string, options: RemoveOptions): ApiPromise<ResponseMeta>
  /**
   * Moves one record of a player with all its entries to another gamemode. Requires the player's password. The record
   * keeps its id and times. The call also succeeds if the record is already in that gamemode.
   *
   * @param id The id from `list` with `detail: 'full'`.
   * @throws The errors of `remove`.
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
   * Adds 1 to 500 crabs, like `fish.add`. If `entries` is omitted, adds one crab with the name `crab`.
   *
   * @throws The errors of `fish.add`.
   * @example
   * await client.crabs.add()
   */
  add(entries?: CrabInput | readonly CrabInput[], options?: AddOptions): ApiPromise<AddResult>
  /**
   * Encrypts crabs without sending them, like `fish.encrypt`. If `entries` is omitted, encrypts one crab with the name
   * `crab`.
   *
   * @throws ValidationError, FernetError.
   * @example
   * const encrypted = await client.crabs.encrypt()
   */
  encrypt(entries?: CrabInput | readonly CrabInput[], target?: Target): Promise<EncryptedCatches>
}

export function createFish(context: ClientContext): FishResource {
  return createCatches(context, 'fish', fishCollectionShape, fishSummaryShape) as FishResource
}

export function createCrabs(context: ClientContext): CrabsResource {
  return createCatches(context, 'crab', crabCollectionShape, crabSummaryShape) as CrabsResource
}

type AnyInput = FishInput | CrabInput

// The callers cast the result: the overloads of `list` and `iterate` depend on `detail`, and TypeScript cannot infer
// them here.
function createCatches<K extends Kind, Collection extends { readonly [Key in K]: (Fish | Crab)[] }>(
  context: ClientContext,
  kind: K,
  shape: ResponseShape<Collection>,
  summaryShape: ResponseShape<FishSummary | CrabSummary>,
) {
  const { transport, settings } = context
  const route = PUBLIC_ROUTES[kind === 'fish' ? 'getFish' : 'getCrab']
  const list = (options: ListOptions = {}) => {
    const prepare = () => {
      const { detail, limit, cursor } = options
      const { user: name, gamemode, issues } = resolveTarget(options, settings)
      const isDetail = detail === undefined || detail === 'full'
      return {
        route,
        query: { name, gamemode, detail, limit, cursor },
        issues: [...issues, limitIssue(limit), !isDetail && { path: 'detail', message: "Must be 'full' or left out." }],
      }
    }
    const known: OptionNames<ListOptions> = { ...CALL_OPTIONS, ...TARGET, detail: 1, limit: 1, cursor: 1 }
    return call(transport, { options, known, shape, prepare })
  }
  return {
    list,
    iterate: (options: IterateOptions = {}) =>
      iteratePages(list, (page) => page[kind], options, { ...CALL_OPTIONS, ...TARGET, detail: 1, pageSize: 1 }),
    summary: (options: SummaryOptions = {}) => {
      const prepare = () => {
        const { user: name, gamemode, issues } = resolveTarget(options, settings)
        return { route, query: { name, gamemode, summary: 'species' }, issues }
      }
      return call(transport, { options, known: { ...CALL_OPTIONS, ...TARGET }, shape: summaryShape, prepare })
    },
    add: (entries: AnyInput | readonly AnyInput[] = {}, options: AddOptions = {}) =>
      deferred(({ addCatches }) => addCatches(context, kind, [entries].flat(), options)),
    encrypt: async (entries: AnyInput | readonly AnyInput[] = {}, target: Target = {}) =>
      (await loadOnDemand()).encryptInput(context, kind, [entries].flat(), target),
    send: (encrypted: EncryptedCatches, options: CallOptions = {}) =>
      deferred(({ sendCatches }) => sendCatches(context, kind, encrypted, options)),
    remove: (id: string, options: RemoveOptions) =>
      deferred(({ removeRecord }) => removeRecord(context, kind, id, options)),
    move: (id: string, options: MoveOptions) => deferred(({ moveRecord }) => moveRecord(context, kind, id, options)),
  }
}
