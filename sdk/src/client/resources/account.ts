import { ACCOUNT_LIMITS } from '../../contract/limits.ts'
import { OWN_ROUTES } from '../../contract/routes.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { NON_RETRIED_OPTIONS, type NonRetriedOptions } from '../core/options.ts'
import { noContentShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { basicCredentials } from './keys.ts'

/** Options of `account.changePassword`. */
interface ChangePasswordOptions extends NonRetriedOptions {
  /** Name of the player. */
  readonly username: string
  /** The old password. */
  readonly password: string
  /** 8 to 256 characters. */
  readonly newPassword: string
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
}

export function changePassword(transport: Transport, options: ChangePasswordOptions): ApiPromise<ResponseMeta> {
  const send: Transport = (request) => transport({ ...request, options: { ...request.options, maxRetries: 0 } })
  return call(send, {
    options,
    known: { username: 1, password: 1, newPassword: 1, ...NON_RETRIED_OPTIONS },
    shape: noContentShape,
    prepare: () => {
      const { username, password, newPassword } = options
      const issues: Issue[] = []
      const headers = { authorization: basicCredentials(username, password, issues) }
      const issue = passwordIssue(newPassword, 'newPassword')
      if (issue) issues.push(issue)
      return { route: OWN_ROUTES.changeOwnPassword, json: { password: newPassword }, headers, issues }
    },
  })
}

export function passwordIssue(value: unknown, path = 'password'): Issue | undefined {
  const { minPasswordLength: shortest, passwordLength: longest } = ACCOUNT_LIMITS
  if (typeof value === 'string' && value.length >= shortest && value.length <= longest) return undefined
  return { path, message: `Must be ${shortest} to ${longest} characters.` }
}
