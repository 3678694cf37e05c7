import { CALL_OPTIONS, type CallOptions } from '../client/core/options.ts'
import { iteratePages } from '../client/resources/pages.ts'
import { gamemodeIssue, limitIssue } from '../client/resources/target.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import { KINDS, type Kind } from '../contract/kinds.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { AuditAction, AuditEntry, AuditPage, Leaderboard, OwnAccount, Stats } from '../contract/schemas.ts'
import { choiceIssue, cursorIssue } from './checks.ts'
import {
  type AdminIterateOptions,
  type AdminListOptions,
  ITERATE_OPTIONS,
  LIST_OPTIONS,
  type Send,
} from './requests.ts'
import { auditPageShape, leaderboardShape, ownAccountShape, statsShape } from './shapes.generated.ts'

/** Options of `leaderboard`. */
export interface LeaderboardOptions extends CallOptions {
  /** The kind of catch to count. */
  readonly type: Kind
  /** @default all gamemodes together */
  readonly gamemode?: Gamemode | undefined
  /** Number of places, 1 to 1000. @default 10 */
  readonly limit?: number | undefined
}

/** Reports about the service. */
export interface Reports {
  /**
   * The administrator of this client, with the gamemodes and the public address of the service.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { username, role } = await admin.me()
   */
  me(options?: CallOptions): ApiPromise<OwnAccount & ResponseMeta>
  /**
   * The number of users, the number of fish by gamemode and by rarity, and the number of crabs by gamemode.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { users, fish } = await admin.stats()
   */
  stats(options?: CallOptions): ApiPromise<Stats & ResponseMeta>
  /**
   * The players with the most catches, highest count first.
   *
   * @throws ValidationError, ApiError, ConnectionError.
   * @example
   * const { leaderboard } = await admin.leaderboard({ type: 'fish', gamemode: 'earth', limit: 3 })
   */
  leaderboard(options: LeaderboardOptions): ApiPromise<Leaderboard & ResponseMeta>
}

export function createReports(send: Send): Reports {
  return {
    me: (options = {}) => send(ownAccountShape, options, CALL_OPTIONS, () => ({ route: ADMIN_ROUTES.adminMe })),
    stats: (options = {}) => send(statsShape, options, CALL_OPTIONS, () => ({ route: ADMIN_ROUTES.stats })),
    leaderboard: (options) =>
      send(leaderboardShape, options, { ...CALL_OPTIONS, type: 1, gamemode: 1, limit: 1 }, () => {
        const { type, gamemode, limit } = options
        return {
          route: ADMIN_ROUTES.leaderboard,
          query: { type, gamemode, limit },
          issues: [
            choiceIssue(type, KINDS, 'type'),
            gamemode !== undefined && gamemodeIssue(gamemode),
            limitIssue(limit),
          ],
        }
      }),
  }
}

interface AuditFilter {
  /** Name of the account that acted, in any letter case. @default all accounts */
  readonly actor?: string | undefined
  /** Name of the account that an entry is about, in any letter case. @default all accounts */
  readonly user?: string | undefined
  /** @default all actions */
  readonly action?: AuditAction | undefined
}

/** Options of `audit.list`. A filtered page may be empty although `nextCursor` follows. */
export interface ListAuditOptions extends AdminListOptions, AuditFilter {}

/** Options of `audit.iterate`. */
export interface IterateAuditOptions extends AdminIterateOptions, AuditFilter {}

const FILTER_OPTIONS = { actor: 1, user: 1, action: 1 } as const

/** The audit log: logins, key accesses and changes, each with its time and the client's address. */
export interface AuditResource {
  /**
   * One page of the audit log, newest first.
   *
   * @throws ValidationError, ApiError, ConnectionError.
   * @example
   * const { entries, nextCursor } = await admin.audit.list({ limit: 20 })
   */
  list(options?: ListAuditOptions): ApiPromise<AuditPage & ResponseMeta>
  /**
   * All entries of the audit log, newest first, read page by page.
   *
   * @throws The errors of `list`, when a page is read.
   * @example
   * for await (const { at, actor, action } of admin.audit.iterate()) console.log(at, actor, action)
   */
  iterate(options?: IterateAuditOptions): AsyncGenerator<AuditEntry, void, undefined>
}

export function createAudit(send: Send): AuditResource {
  const list: AuditResource['list'] = (options = {}) =>
    send(auditPageShape, options, { ...LIST_OPTIONS, ...FILTER_OPTIONS }, () => {
      const { limit, cursor, actor, user, action } = options
      return {
        route: ADMIN_ROUTES.audit,
        query: { limit, cursor, actor, user, action },
        issues: [limitIssue(limit), cursorIssue(cursor)],
      }
    })
  return {
    list,
    iterate: (options = {}) =>
      iteratePages(list, ({ entries }) => entries, options, { ...ITERATE_OPTIONS, ...FILTER_OPTIONS }),
  }
}
