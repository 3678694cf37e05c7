import { CALL_OPTIONS, type CallOptions, NON_RETRIED_OPTIONS, type NonRetriedOptions } from '../client/core/options.ts'
import { passwordIssue } from '../client/resources/account.ts'
import { nameIssue } from '../client/resources/target.ts'
import { noContentShape } from '../client/shapes/shape.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { Administrator, AdministratorList, AdminRole, NewPassword } from '../contract/schemas.ts'
import { optionIssues } from '../errors/check-options.ts'
import { choiceIssue } from './checks.ts'
import type { Send } from './requests.ts'
import { administratorListShape, administratorShape, newPasswordShape } from './shapes.generated.ts'

/** An administrator to create. */
export interface NewAdministrator {
  /** The rules are the same as for user names. */
  readonly username: string
  /** 8 to 256 characters. */
  readonly password: string
  /** @default 'admin' */
  readonly role?: AdminRole | undefined
}

/** The administrators of the service. Only superadmins may use these calls. */
export interface AdminsResource {
  /**
   * All administrators, oldest account first.
   *
   * @throws PermissionDeniedError; ApiError, ConnectionError.
   * @example
   * const { admins } = await admin.admins.list()
   */
  list(options?: CallOptions): ApiPromise<AdministratorList & ResponseMeta>
  /**
   * Creates an administrator. The call is never retried: if the response is lost, the error says what to check.
   *
   * @throws PermissionDeniedError; ConflictError with code `admin_exists`; ValidationError, ApiError, ConnectionError.
   * @example
   * await admin.admins.create({ username: 'mia', password, role: 'admin' })
   */
  create(administrator: NewAdministrator, options?: NonRetriedOptions): ApiPromise<Administrator & ResponseMeta>
  /**
   * Deletes an administrator and ends all sessions of that administrator. A retry that finds no such administrator
   * succeeds.
   *
   * @throws PermissionDeniedError; NotFoundError with code `admin_not_found`; ConflictError with code
   *   `last_superadmin`; ValidationError, ApiError, ConnectionError.
   * @example
   * await admin.admins.delete('mia')
   */
  delete(username: string, options?: CallOptions): ApiPromise<ResponseMeta>
  /**
   * Replaces the password of an administrator by a generated password, which is shown only once, and ends all sessions of
   * that administrator. The call is never retried: if the response is lost, reset the password again.
   *
   * @throws PermissionDeniedError; NotFoundError with code `admin_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { password } = await admin.admins.resetPassword('mia')
   */
  resetPassword(username: string, options?: NonRetriedOptions): ApiPromise<NewPassword & ResponseMeta>
}

/** The passwords of `changePassword`. */
export interface PasswordChange {
  /** The old password. */
  readonly password: string
  /** 8 to 256 characters. */
  readonly newPassword: string
}

const ROLES: readonly AdminRole[] = ['admin', 'superadmin']

export function createAdmins(send: Send): AdminsResource {
  return {
    list: (options = {}) =>
      send(administratorListShape, options, CALL_OPTIONS, () => ({ route: ADMIN_ROUTES.listAdmins })),
    create: (administrator, options = {}) =>
      send(administratorShape, options, NON_RETRIED_OPTIONS, () => {
        const unknown = optionIssues(administrator, { username: 1, password: 1, role: 1 })
        const { username, password, role } = administrator
        return {
          route: ADMIN_ROUTES.createAdmin,
          json: { username, password, role },
          ifUnknown: { effect: 'the administrator was created', hint: 'Check with admins.list.' },
          issues: [
            nameIssue(username, 'username'),
            passwordIssue(password),
            role !== undefined && choiceIssue(role, ROLES, 'role'),
            ...unknown,
          ],
        }
      }),
    delete: (username, options = {}) =>
      send(noContentShape, options, CALL_OPTIONS, () => ({
        route: ADMIN_ROUTES.deleteAdmin,
        params: { username },
        issues: [nameIssue(username, 'username')],
      })),
    resetPassword: (username, options = {}) =>
      send(newPasswordShape, options, NON_RETRIED_OPTIONS, () => ({
        route: ADMIN_ROUTES.resetAdmin,
        params: { username },
        ifUnknown: { effect: 'the password was replaced', hint: 'If so, the old one no longer works. Reset it again.' },
        issues: [nameIssue(username, 'username')],
      })),
  }
}

export function changePassword(
  send: Send,
  change: PasswordChange,
  options: NonRetriedOptions,
): ApiPromise<ResponseMeta> {
  return send(noContentShape, options, NON_RETRIED_OPTIONS, () => {
    const unknown = optionIssues(change, { password: 1, newPassword: 1 })
    const { password, newPassword } = change
    return {
      route: ADMIN_ROUTES.changeAdminPassword,
      json: { password, newPassword },
      ifUnknown: { effect: 'the password was replaced', hint: 'Try the new password.' },
      issues: [
        !(typeof password === 'string' && password) && { path: 'password', message: 'Must be the old password.' },
        passwordIssue(newPassword, 'newPassword'),
        ...unknown,
      ],
    }
  })
}
