import type { Gamemode } from '../../contract/gamemodes.ts'
import { KINDS, type Kind } from '../../contract/kinds.ts'
import { filledPath, OWN_ROUTES } from '../../contract/routes.ts'
import { assertOptions } from '../../errors/check-options.ts'
import { type Issue, throwIssues } from '../../errors/fish-crab-error.ts'
import type { CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import { EMPTY_RESPONSE, ignoreMissingOnRetry, jsonBody, withoutBody } from '../transport/changes.ts'
import type { Transport } from '../transport/transport.ts'
import { checkGamemode, idIssue, resolveTarget, type Target } from './catch-input.ts'
import { basicCredentials } from './keys.ts'

/** Options of `deleteCatch`. `user` and `gamemode` are those of the record. @default those of the client */
export interface DeleteCatchOptions extends CallOptions, Target {
  readonly kind: Kind
  /** The id of the record, as from `list` with `detail: 'full'`. */
  readonly id: string
  /** The password of the player. */
  readonly password: string
}

/** Options of `moveCatch`. */
export interface MoveCatchOptions extends DeleteCatchOptions {
  /** Another gamemode. */
  readonly to: Gamemode
}

interface ChangeContext {
  readonly transport: Transport
  readonly settings: Settings
}

type AnyClient = { readonly context: () => object }

// A function: bundlers do not remove an unused object with properties of another one.
const routesOf = (kind: Kind) =>
  kind === 'fish'
    ? { delete: OWN_ROUTES.deleteOwnFish, move: OWN_ROUTES.moveOwnFish }
    : { delete: OWN_ROUTES.deleteOwnCrab, move: OWN_ROUTES.moveOwnCrab }

/**
 * Deletes one record of a player with all its entries, by the player's password. The token by which it was added stays used:
 * sent again, it stores nothing. A retry that finds no such record succeeds.
 *
 * @throws AuthenticationError for a wrong name or password; NotFoundError with code `record_not_found`, also for a record of
 *   another player; ApiError, ConnectionError; ValidationError before anything is sent.
 * @example
 * await deleteCatch(client, { kind: 'fish', id, password })
 */
export function deleteCatch(client: AnyClient, options: DeleteCatchOptions): ApiPromise<ResponseMeta> {
  return change(client, 'delete', options)
}

/**
 * Moves one record of a player with all its entries to another gamemode, by the player's password; its id and times stay. It
 * succeeds when the record is there already.
 *
 * @throws As `deleteCatch`.
 * @example
 * await moveCatch(client, { kind: 'fish', id, gamemode: 'earth', to: 'oneblock', password })
 */
export function moveCatch(client: AnyClient, options: MoveCatchOptions): ApiPromise<ResponseMeta> {
  return change(client, 'move', options)
}

const OPTIONS = { kind: true, id: true, user: true, gamemode: true, password: true } as const

function change(
  client: AnyClient,
  action: 'delete' | 'move',
  given: DeleteCatchOptions & Partial<MoveCatchOptions>,
): ApiPromise<ResponseMeta> {
  const { transport, settings } = client.context() as ChangeContext
  return call(
    action === 'delete' ? ignoreMissingOnRetry(transport) : withoutBody(transport),
    () => {
      assertOptions(given, { ...OPTIONS, ...(action === 'move' ? { to: true } : {}) })
      const { kind, id, user, gamemode, password, to, ...options } = given
      const issues: Issue[] = []
      const target = resolveTarget({ user, gamemode }, settings, issues)
      if (!KINDS.includes(kind)) issues.push({ path: 'kind', message: 'Must be fish or crab.' })
      const wrongId = idIssue(id)
      if (wrongId) issues.push(wrongId)
      if (action === 'move') checkGamemode(to ?? '', settings.knownGamemodes, issues)
      throwIssues(issues)
      const { headers, ...body } = action === 'move' ? jsonBody({ gamemode: to }) : {}
      const route = routesOf(kind)[action]
      return {
        route,
        path: filledPath(route.path, { id }),
        query: { gamemode: target.gamemode },
        headers: { ...headers, authorization: basicCredentials(target.user, password) },
        ...body,
        options,
      }
    },
    EMPTY_RESPONSE,
  )
}
