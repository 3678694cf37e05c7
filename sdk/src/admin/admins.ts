import type { CallOptions } from '../client/core/call-options.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import { EMPTY_RESPONSE, jsonBody } from '../client/transport/changes.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { Administrator, AdministratorList, AdminRole } from '../contract/schemas.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { choiceIssue, nameIssue, passwordIssue } from './checks.ts'
import type { AdminContext, NonRetriedOptions } from './requests.ts'
import { administratorListShape, administratorShape } from './shapes.generated.ts'

/** An administrator to create. */
export interface NewAdministrator {
  /** Same rules as for user names. */
  readonly username: string
  /** 8 to 256 characters. */
  readonly password: string
  /** @default 'admin' */
  readonly role?: AdminRole | undefined
}

/** The administrators of the service. For superadmins. */
export interface AdminsResource {
  /**
   * All administrators, the first one first.
   *
   * @throws PermissionDeniedError; ApiError, ConnectionError.
   * @example
   * const { admins } = await admin.admins.list()
   */
  list(options?: CallOptions): ApiPromise<AdministratorList & ResponseMeta>
  /**
   * Creates an administrator. Never retried: if the response is lost, the error says what to check.
   *
   * @throws PermissionDeniedError; ConflictError with code `admin_exists`; ValidationError, ApiError, ConnectionError.
   * @example
   * await admin.admins.create({ username: 'mia', password, role: 'admin' })
   */
  create(administrator: NewAdministrator, options?: NonRetriedOptions): ApiPromise<Administrator & ResponseMeta>
  /**
   * Deletes an administrator and ends its sessions. A retry that finds no such administrator succeeds.
   *
   * @throws PermissionDeniedError; NotFoundError with code `admin_not_found`; ConflictError with code
   *   `last_superadmin`; ValidationError, ApiError, ConnectionError.
   * @example
   * await admin.admins.delete('mia')
   */
  delete(username: string, options?: CallOptions): ApiPromise<ResponseMeta>
}

const ROLES: readonly AdminRole[] = ['admin', 'superadmin']

export function createAdmins({ read, remove, withoutRetries }: AdminContext): AdminsResource {
  return {
    list: (options = {}) => read(administratorListShape, { route: ADMIN_ROUTES.listAdmins, options }),
    create: ({ username, password, role, ...others }, options = {}) =>
      withoutRetries({ whether: 'the administrator was created', hint: 'Check with admins.list.' })(
        administratorShape,
        { route: ADMIN_ROUTES.createAdmin, ...jsonBody({ username, password, role }), options },
        [
          nameIssue(username, 'username'),
          passwordIssue(password),
          role !== undefined && choiceIssue(role, ROLES, 'role'),
          ...unknownOptions(others, { username: true, password: true, role: true }),
        ],
      ),
    delete: (username, options = {}) =>
      remove(EMPTY_RESPONSE, { route: ADMIN_ROUTES.deleteAdmin, params: { username }, options }, [
        nameIssue(username, 'username'),
      ]),
  }
}
