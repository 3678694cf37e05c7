import { ACCOUNT_LIMITS } from '../../contract/limits.ts'
import { OWN_ROUTES } from '../../contract/routes.ts'
import type { AccountVisibility, UserName } from '../../contract/schemas.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { NON_RETRIED_OPTIONS, type NonRetriedOptions } from '../core/options.ts'
import { accountVisibilityShape, userNameShape } from '../shapes/on-demand.generated.ts'
import { noContentShape, type ResponseShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type PreparedRequest, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { basicCredentials } from './keys.ts'
import { nameIssue } from './target.ts'

/** The name and the password of a player. */
interface OwnLogin extends NonRetriedOptions {
  /** Name of the player. */
  readonly username: string
  /** Password of the player. */
  readonly password: string
}

/** Options of `account.changePassword`. */
interface ChangePasswordOptions extends OwnLogin {
  /** 8 to 256 characters. */
  readonly newPassword: string
}

/** Options of `account.rename`. */
interface RenameOptions extends OwnLogin {
  /** The new name. */
  readonly newName: string
}

/** Options of `account.setPublic`. */
interface SetPublicOptions extends OwnLogin {
  /** Whether everybody sees the collections. */
  readonly public: boolean
}

/** The account of a player. */
export interface AccountResource {
  /**
   * Replaces the password of a player. The old password no longer works. The call is never retried: if the response is
   * lost, try the new password.
   *
   * @throws AuthenticationError for a wrong name or password; PermissionDeniedError for an administrator; RateLimitError,
   *   ApiError, ConnectionError; ValidationError before anything is sent.
   * @example
   * await client.account.changePassword({ username: 'Alex', password, newPassword: 'three quiet rivers' })
   */
  changePassword(options: ChangePasswordOptions): ApiPromise<ResponseMeta>
  /**
   * Changes the name of a player. Keys and catches stay. For 90 days, the old name refers to the player, and nobody else
   * can take it.
   *
   * @throws ConflictError with code `user_exists`; the errors of {@link changePassword}.
   * @example
   * const { name } = await client.account.rename({ username: 'Alex', password, newName: 'AlexTheGreat' })
   */
  rename(options: RenameOptions): ApiPromise<UserName & ResponseMeta>
  /**
   * Hides the collections of a player from everybody but the player and the administrators, or shows them again. A client
   * with the player's API key reads as before.
   *
   * @throws The errors of {@link changePassword}.
   * @example
   * await client.account.setPublic({ username: 'Alex', password, public: false })
   */
  setPublic(options: SetPublicOptions): ApiPromise<AccountVisibility & ResponseMeta>
  /**
   * Deletes the account of a player with all catches. A deleted account cannot be restored.
   *
   * @throws The errors of {@link changePassword}.
   * @example
   * await client.account.delete({ username: 'Alex', password })
   */
  delete(options: OwnLogin): ApiPromise<ResponseMeta>
}

export function createAccount(transport: Transport): AccountResource {
  const sendOnce: Transport = (request) => transport({ ...request, options: { ...request.options, maxRetries: 0 } })

  function send<Options extends OwnLogin, Content extends object>(
    options: Options,
    known: OptionNames<Omit<Options, keyof OwnLogin>>,
    shape: ResponseShape<Content>,
    request: Pick<PreparedRequest, 'route' | 'json' | 'issues'>,
  ): ApiPromise<Content & ResponseMeta> {
    return call(sendOnce, {
      options,
      known: { username: 1, password: 1, ...NON_RETRIED_OPTIONS, ...known } as OptionNames<Options>,
      shape,
      prepare: () => {
        const issues: Issue[] = []
        const headers = { authorization: basicCredentials(options.username, options.password, issues) }
        return { ...request, headers, issues: [...issues, ...(request.issues ?? [])] }
      },
    })
  }

  return {
    changePassword: (options) =>
      send(options, { newPassword: 1 }, noContentShape, {
        route: OWN_ROUTES.changeOwnPassword,
        json: { password: options.newPassword },
        issues: [passwordIssue(options.newPassword, 'newPassword')],
      }),
    rename: (options) =>
      send(options, { newName: 1 }, userNameShape, {
        route: OWN_ROUTES.renameOwn,
        json: { name: options.newName },
        issues: [nameIssue(options.newName, 'newName')],
      }),
    setPublic: (options) =>
      send(options, { public: 1 }, accountVisibilityShape, {
        route: OWN_ROUTES.updateOwn,
        json: { public: options.public },
        issues: [
          typeof options.public === 'boolean' ? undefined : { path: 'public', message: 'Must be true or false.' },
        ],
      }),
    delete: (options) =>
      send(options, {}, noContentShape, { route: OWN_ROUTES.deleteOwn, json: { password: options.password } }),
  }
}

export function passwordIssue(value: unknown, path = 'password'): Issue | undefined {
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (typeof value === 'string' && value.length >= shortest && value.length <= longest) return undefined
  return { path, message: `Must be ${shortest} to ${longest} characters.` }
}
