import type { CallOptions } from '../client/core/call-options.ts'
import { type ApiPromise, call, type ResponseMeta } from '../client/transport/call.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { Administrator, AdministratorList, AdminRole } from '../contract/schemas/admin.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { keyIssue, nameIssue, passwordIssue, requireNoIssues } from './checks.ts'
import type { AdminContext, OnceOptions } from './requests.ts'
import { jsonBody, NOTHING } from './requests.ts'
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
  create(administrator: NewAdministrator, options?: OnceOptions): ApiPromise<Administrator & ResponseMeta>
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

const ROLES = { admin: true, superadmin: true } as const satisfies Record<AdminRole, true>

/** `admin.admins`. */
export function createAdmins({ read, remove, once }: AdminContext): AdminsResource {
  return {
    list: (options = {}) => call(read, () => ({ route: ADMIN_ROUTES.listAdmins, options }), administratorListShape),
    create: ({ username, password, role, ...others }, options = {}) =>
      call(
        once({ whether: 'the administrator was created', hint: 'Check with admins.list.' }),
        () => {
          const roleIssue = role !== undefined && keyIssue(role, ROLES, 'role')
          const unknown = unknownOptions(others, { username: true, password: true, role: true })
          requireNoIssues(nameIssue(username, 'username'), passwordIssue(password), roleIssue, ...unknown)
          return { route: ADMIN_ROUTES.createAdmin, ...jsonBody({ username, password, role }), options }
        },
        administratorShape,
      ),
    delete: (username, options = {}) =>
      call(
        remove,
        () => {
          requireNoIssues(nameIssue(username, 'username'))
          return { route: ADMIN_ROUTES.deleteAdmin, params: { username }, options }
        },
        NOTHING,
      ),
  }
}
