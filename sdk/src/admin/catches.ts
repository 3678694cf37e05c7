import { CALL_OPTIONS, type CallOptions, NON_RETRIED_OPTIONS, type NonRetriedOptions } from '../client/core/options.ts'
import { type CrabInput, entryIssue, type FishInput, parseEntries } from '../client/resources/catch-input.ts'
import { gamemodeIssue, idIssue, nameIssue } from '../client/resources/target.ts'
import { savedShape } from '../client/shapes/on-demand.generated.ts'
import { noContentShape, type ResponseShape } from '../client/shapes/shape.ts'
import { crabCollectionShape, fishCollectionShape } from '../client/shapes/shapes.generated.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { CrabCollection, FishCollection, Saved } from '../contract/schemas.ts'
import type { OptionNames } from '../errors/check-options.ts'
import type { Issue } from '../errors/fish-crab-error.ts'
import type { Send } from './requests.ts'

/** The gamemode of a collection. */
export interface GamemodeOption {
  /** A gamemode of the service. `fish-cli status` lists all gamemodes. */
  readonly gamemode: Gamemode
}

/** The entry of a record to remove. */
export interface EntryOption {
  /** The index of the only entry to remove, from `list`. @default all entries of the record */
  readonly entry?: number | undefined
}

/** The destination of a moved record. */
export interface MoveOption {
  /** The new gamemode of the record, which must differ from `gamemode`. */
  readonly to: Gamemode
}

/** Manages the catches of one kind, for every player. */
export interface AdminCatchesResource<Collection, Input> {
  /**
   * All catches of a user in one gamemode, oldest first, each with `caughtAt`, the `id` of its record, and the index
   * `entry` in the record.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fish } = await admin.fish.list('Alex', { gamemode: 'earth' })
   */
  list(name: string, options: CallOptions & GamemodeOption): ApiPromise<Collection & ResponseMeta>
  /**
   * Adds 1 to 500 catches for a user, as one record. Does not need the user's Fernet key. The call is never retried,
   * since a retry could add the entries twice. If the response is lost, the error says what to check.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { id } = await admin.fish.add('Alex', { name: 'Salmon', rarity: 'Gold' }, { gamemode: 'earth' })
   */
  add(
    name: string,
    entries: Input | readonly Input[],
    options: NonRetriedOptions & GamemodeOption,
  ): ApiPromise<Saved & ResponseMeta>
  /**
   * Deletes one record with all its entries, or only one `entry`. A retry that finds no such record or entry succeeds.
   *
   * @param id The id from `list`.
   * @throws NotFoundError with code `record_not_found`, `entry_not_found` or `user_not_found`; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * await admin.fish.delete('Alex', id, { gamemode: 'earth' })
   */
  delete(name: string, id: string, options: CallOptions & GamemodeOption & EntryOption): ApiPromise<ResponseMeta>
  /**
   * Moves one record with all its entries to another gamemode. The record keeps its id and times. The call also
   * succeeds if the record is already in that gamemode.
   *
   * @param id The id from `list`.
   * @throws NotFoundError with code `record_not_found` or `user_not_found`; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * await admin.fish.move('Alex', id, { gamemode: 'earth', to: 'sky' })
   */
  move(name: string, id: string, options: CallOptions & GamemodeOption & MoveOption): ApiPromise<ResponseMeta>
}

/** The fish of every player. */
export type AdminFishResource = AdminCatchesResource<FishCollection, FishInput>

/** The crabs of every player. */
export type AdminCrabsResource = AdminCatchesResource<CrabCollection, CrabInput>

export function createAdminFish(send: Send): AdminFishResource {
  return createCatches(send, 'fish', fishCollectionShape)
}

export function createAdminCrabs(send: Send): AdminCrabsResource {
  return createCatches(send, 'crab', crabCollectionShape)
}

const COLLECTION: OptionNames<CallOptions & GamemodeOption> = { ...CALL_OPTIONS, gamemode: 1 }

function createCatches<Collection extends object, Input extends FishInput | CrabInput>(
  send: Send,
  kind: Kind,
  shape: ResponseShape<Collection>,
): AdminCatchesResource<Collection, Input> {
  const suffix = kind === 'fish' ? 'Fish' : 'Crab'
  return {
    list: (name, options) =>
      send(shape, options, COLLECTION, () => ({
        route: ADMIN_ROUTES[`listUser${suffix}`],
        params: { name },
        query: { gamemode: options.gamemode },
        issues: [nameIssue(name), gamemodeIssue(options.gamemode)],
      })),
    add: (name, entries, options) =>
      send(savedShape, options, { ...NON_RETRIED_OPTIONS, gamemode: 1 }, () => {
        const issues: Issue[] = []
        return {
          route: ADMIN_ROUTES[`addUser${suffix}`],
          params: { name },
          query: { gamemode: options.gamemode },
          json: { [kind]: parseEntries([entries].flat(), kind, issues) },
          ifUnknown: {
            effect: 'the catches were stored',
            hint: `Check with ${kind === 'fish' ? 'fish' : 'crabs'}.list before adding them again.`,
          },
          issues: [nameIssue(name), gamemodeIssue(options.gamemode), ...issues],
        }
      }),
    delete: (name, id, options) =>
      send(noContentShape, options, { ...COLLECTION, entry: 1 }, () => ({
        route: ADMIN_ROUTES[`deleteUser${suffix}`],
        params: { name, id },
        query: { gamemode: options.gamemode, entry: options.entry },
        issues: [nameIssue(name), idIssue(id), gamemodeIssue(options.gamemode), entryIssue(options.entry)],
      })),
    move: (name, id, options) =>
      send(noContentShape, options, { ...COLLECTION, to: 1 }, () => ({
        route: ADMIN_ROUTES[`moveUser${suffix}`],
        params: { name, id },
        query: { gamemode: options.gamemode },
        json: { gamemode: options.to },
        issues: [nameIssue(name), idIssue(id), gamemodeIssue(options.gamemode), gamemodeIssue(options.to, 'to')],
      })),
  }
}
