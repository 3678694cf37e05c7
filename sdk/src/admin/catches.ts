import type { CallOptions } from '../client/core/call-options.ts'
import { type CrabInput, type FishInput, idIssue, parseEntries } from '../client/resources/catch-input.ts'
import type { ResponseShape } from '../client/shapes/shape.ts'
import { crabCollectionShape, fishCollectionShape, savedShape } from '../client/shapes/shapes.generated.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import { EMPTY_RESPONSE, jsonBody } from '../client/transport/changes.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { CrabCollection, FishCollection, Saved } from '../contract/schemas.ts'
import type { Issue } from '../errors/fish-crab-error.ts'
import { gamemodeIssue, nameIssue } from './checks.ts'
import type { AdminContext, NonRetriedOptions } from './requests.ts'

/** The gamemode of a collection. */
export interface GamemodeOption {
  readonly gamemode: Gamemode
}

/** Where a record is moved. */
export interface MoveOption {
  /** Another gamemode. */
  readonly to: Gamemode
}

/** The catches of one kind, of every player. */
export interface AdminCatchesResource<Collection, Input> {
  /**
   * All catches of a user in one gamemode, oldest first, each with `caughtAt` and the `id` of its record.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fish } = await admin.fish.list('Alex', { gamemode: 'earth' })
   */
  list(name: string, options: CallOptions & GamemodeOption): ApiPromise<Collection & ResponseMeta>
  /**
   * Adds one catch or up to 500 for a user as one record, without its key. Never retried, since entries could be added
   * twice: if the response is lost, the error says what to check.
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
   * Deletes one record with all its entries. A retry that finds no such record succeeds.
   *
   * @param id The id from `list`.
   * @throws NotFoundError with code `record_not_found` or `user_not_found`; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * await admin.fish.delete('Alex', id, { gamemode: 'earth' })
   */
  delete(name: string, id: string, options: CallOptions & GamemodeOption): ApiPromise<ResponseMeta>
  /**
   * Moves one record with all its entries to another gamemode; its id and times stay. It succeeds when the record is there
   * already.
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

export function createAdminFish(context: AdminContext): AdminFishResource {
  return createCatches(context, 'fish', fishCollectionShape)
}

export function createAdminCrabs(context: AdminContext): AdminCrabsResource {
  return createCatches(context, 'crab', crabCollectionShape)
}

const ROUTES = {
  fish: {
    list: ADMIN_ROUTES.listUserFish,
    add: ADMIN_ROUTES.addUserFish,
    delete: ADMIN_ROUTES.deleteUserFish,
    move: ADMIN_ROUTES.moveUserFish,
  },
  crab: {
    list: ADMIN_ROUTES.listUserCrab,
    add: ADMIN_ROUTES.addUserCrab,
    delete: ADMIN_ROUTES.deleteUserCrab,
    move: ADMIN_ROUTES.moveUserCrab,
  },
}

const LIST_METHOD = { fish: 'fish.list', crab: 'crabs.list' } as const satisfies Record<Kind, string>

function createCatches<Collection extends object, Input extends FishInput | CrabInput>(
  { read, remove, change, withoutRetries }: AdminContext,
  kind: Kind,
  shape: ResponseShape<Collection>,
): AdminCatchesResource<Collection, Input> {
  const routes = ROUTES[kind]
  const uncertainty = {
    whether: 'the catches were stored',
    hint: `Check with ${LIST_METHOD[kind]} before adding them again.`,
  }
  return {
    list: (name, { gamemode, ...options }) =>
      read(shape, { route: routes.list, params: { name }, query: { gamemode }, options }, [
        nameIssue(name),
        gamemodeIssue(gamemode),
      ]),
    add: (name, entries, { gamemode, ...options }) => {
      const issues: Issue[] = []
      const body = jsonBody({ [kind]: parseEntries([entries].flat(), kind, issues) })
      return withoutRetries(uncertainty)(
        savedShape,
        { route: routes.add, params: { name }, query: { gamemode }, ...body, options },
        [nameIssue(name), gamemodeIssue(gamemode), ...issues],
      )
    },
    delete: (name, id, { gamemode, ...options }) =>
      remove(EMPTY_RESPONSE, { route: routes.delete, params: { name, id }, query: { gamemode }, options }, [
        nameIssue(name),
        idIssue(id),
        gamemodeIssue(gamemode),
      ]),
    move: (name, id, { gamemode, to, ...options }) =>
      change(
        EMPTY_RESPONSE,
        { route: routes.move, params: { name, id }, query: { gamemode }, ...jsonBody({ gamemode: to }), options },
        [nameIssue(name), idIssue(id), gamemodeIssue(gamemode), gamemodeIssue(to, 'to')],
      ),
  }
}
