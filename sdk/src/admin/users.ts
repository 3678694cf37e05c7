import type { CallOptions } from '../client/core/call-options.ts'
import { createKeys } from '../client/resources/keys.ts'
import { iteratePages } from '../client/resources/list-catches.ts'
import type { ResponseSchema } from '../client/shapes/shape.ts'
import { type ApiPromise, apiPromise, call, type ResponseMeta } from '../client/transport/call.ts'
import type { Transport } from '../client/transport/transport.ts'
import { LIMITS } from '../contract/limits.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { CreatedUser, ResetType, User, UserList } from '../contract/schemas/admin.ts'
import type { UserKey } from '../contract/schemas/service.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { type Credentials, requireCredentials } from './admin-options.ts'
import { cursorIssue, keyIssue, limitIssue, nameIssue, passwordIssue, requireNone, searchIssue } from './checks.ts'
import {
  type AdminContext,
  type IterateUsersOptions,
  jsonBody,
  type ListUsersOptions,
  NOTHING,
  type OnceOptions,
} from './requests.ts'
import { createdUserShape, resetResultShape, userListShape, userShape } from './shapes.generated.ts'

/** What a user is created from. */
export interface NewUser {
  /** 1 to 32 characters of `A-Z a-z 0-9 _ . * -`, not starting with `-`; unique without regard to case. */
  readonly name: string
  /** 8 to 256 characters. @default one that the server makes */
  readonly password?: string | undefined
}

/** The players of the service. */
export interface UsersResource {
  /**
   * One page of users, by name.
   *
   * @throws ValidationError, ApiError, ConnectionError.
   * @example
   * const { users, nextCursor } = await admin.users.list({ search: 'al', limit: 20 })
   */
  list(options?: ListUsersOptions): ApiPromise<UserList & ResponseMeta>
  /**
   * All users one by one, by name, read page by page as the loop goes on.
   *
   * @throws As `list`, when the page is read.
   * @example
   * for await (const { name } of admin.users.iterate()) console.log(name)
   */
  iterate(options?: IterateUsersOptions): AsyncGenerator<User, void, undefined>
  /**
   * Creates a user and answers its password and keys, which are shown this once. Sent once: when the answer is lost,
   * the error says what to look at.
   *
   * @throws ConflictError with code `user_exists`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { password, fernetKey, apiKey } = await admin.users.create({ name: 'Alex' })
   */
  create(user: NewUser, options?: OnceOptions): ApiPromise<CreatedUser & ResponseMeta>
  /**
   * One user, without secrets.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { id, createdAt } = await admin.users.get('Alex')
   */
  get(name: string, options?: CallOptions): ApiPromise<User & ResponseMeta>
  /**
   * Deletes a user with all that it caught. For superadmins. A further try after a lost answer that finds no such user
   * is a success: the first one did it.
   *
   * @throws PermissionDeniedError; NotFoundError with code `user_not_found`; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * await admin.users.delete('Alex')
   */
  delete(name: string, options?: CallOptions): ApiPromise<ResponseMeta>
  /**
   * Replaces one secret of a user; the old one no longer works. Answers the new one under `password`, `fernetKey` or
   * `apiKey`, shown this once. Sent once: when the answer is lost, reset it again.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { fernetKey } = await admin.users.reset('Alex', 'fernet')
   */
  reset<Type extends ResetType>(
    name: string,
    type: Type,
    options?: OnceOptions,
  ): ApiPromise<ResetResult[Type] & ResponseMeta>
}

/** `admin.users`. */
export function createUsers({ read, remove, once }: AdminContext): UsersResource {
  const list: UsersResource['list'] = ({ search, limit, cursor, ...options } = {}) =>
    call(
      read,
      () => {
        requireNone(searchIssue(search), limitIssue(limit), cursorIssue(cursor))
        return { route: ADMIN_ROUTES.listUsers, query: { search, limit: limit?.toString(), cursor }, options }
      },
      userListShape,
    )
  return {
    list,
    iterate: ({ pageSize, ...options } = {}) =>
      iteratePages(
        ({ limit, cursor }) => list({ ...options, limit, cursor }),
        ({ users }) => users,
        LIMITS.pageSize,
        { pageSize },
      ),
    create: ({ name, password, ...others }, options = {}) =>
      call(
        once({
          whether: 'the user was created',
          hint: `Look with users.get('${name}'). If it is there, its secrets are lost: users.reset gives it new ones.`,
        }),
        () => {
          const unknown = unknownOptions(others, { name: true, password: true })
          requireNone(nameIssue(name), password !== undefined && passwordIssue(password), ...unknown)
          return { route: ADMIN_ROUTES.createUser, ...jsonBody({ name, password }), options }
        },
        createdUserShape,
      ),
    get: (name, options = {}) =>
      call(
        read,
        () => {
          requireNone(nameIssue(name))
          return { route: ADMIN_ROUTES.showUser, params: { name }, options }
        },
        userShape,
      ),
    delete: (name, options = {}) =>
      call(
        remove,
        () => {
          requireNone(nameIssue(name))
          return { route: ADMIN_ROUTES.deleteUser, params: { name }, options }
        },
        NOTHING,
      ),
    reset: (name, type, options = {}) =>
      call(
        once({ whether: 'the secret was replaced', hint: 'If so, the old one no longer works. Reset it again.' }),
        () => {
          requireNone(nameIssue(name), keyIssue(type, RESET_FIELDS, 'type'))
          return { route: ADMIN_ROUTES.resetUser, params: { name }, ...jsonBody({ type }), options }
        },
        resetShape(type),
      ),
  }
}

/** The new secret, under the name of what it replaces. */
export interface ResetResult {
  readonly password: { readonly password: string }
  readonly fernet: { readonly fernetKey: string }
  readonly 'api-key': { readonly apiKey: string }
}

/** Under which name a reset answers the new secret. */
const RESET_FIELDS = {
  password: 'password',
  fernet: 'fernetKey',
  'api-key': 'apiKey',
} as const satisfies { readonly [Type in ResetType]: keyof ResetResult[Type] }

/** The form of the answer to one reset, which is stricter than the contract's: the secret must be the one asked for. */
function resetShape<Type extends ResetType>(type: Type): ResponseSchema<ResetResult[Type]> {
  const field = RESET_FIELDS[type]
  return {
    safeParse(value) {
      const result = resetResultShape.safeParse(value)
      if (!result.success) return result
      if (field in result.data) return { success: true, data: result.data as unknown as ResetResult[Type] }
      return { success: false, error: { issues: [{ path: [field], message: 'Must be there.' }] } }
    },
  }
}

/** The Fernet keys of players. */
export interface AdminKeysResource {
  /**
   * The Fernet key of a player, by HTTP Basic with this client's `username` and `password`. The server notes every
   * reading, and counts it within the public rate limit.
   *
   * @throws NotFoundError with code `user_not_found`; ValidationError, also when the client has a `token` alone;
   *   ApiError, ConnectionError.
   * @example
   * const { fernetKey } = await admin.keys.get('Alex')
   */
  get(name: string, options?: CallOptions): ApiPromise<UserKey & ResponseMeta>
}

/** `admin.keys`. */
export function createAdminKeys(transport: Transport, credentials: Credentials | undefined): AdminKeysResource {
  const read = async (name: string, options: CallOptions) => {
    requireNone(nameIssue(name))
    return createKeys(transport)
      .get({ ...options, ...requireCredentials(credentials), name })
      .withResponse()
  }
  return { get: (name, options = {}) => apiPromise(read(name, options)) }
}
