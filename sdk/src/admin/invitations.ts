import { CALL_OPTIONS, type CallOptions, NON_RETRIED_OPTIONS, type NonRetriedOptions } from '../client/core/options.ts'
import { noContentShape } from '../client/shapes/shape.ts'
import type { ApiPromise, ResponseMeta } from '../client/transport/call.ts'
import { ACCOUNT_LIMITS } from '../contract/limits.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import type { CreatedInvitation, InvitationList } from '../contract/schemas.ts'
import { optionIssues } from '../errors/check-options.ts'
import { countIssue, hoursIssue } from './checks.ts'
import type { Send } from './requests.ts'
import { createdInvitationShape, invitationListShape } from './shapes.generated.ts'

/** An invitation to create. */
export interface NewInvitation {
  /** The number of players that the invitation creates, 1 to 500. */
  readonly uses: number
  /** The lifetime in hours, 1 to 720. @default 72 */
  readonly hours?: number | undefined
}

/** The invitations: links with which players create their own accounts. */
export interface InvitationsResource {
  /**
   * Creates an invitation. Its link is shown only once, and is a secret until all uses are taken.
   *
   * @throws ConflictError with code `public_url_missing` or `too_many_invitations`; ValidationError, ApiError,
   *   ConnectionError.
   * @example
   * const { url } = await admin.invitations.create({ uses: 30 })
   */
  create(invitation: NewInvitation, options?: NonRetriedOptions): ApiPromise<CreatedInvitation & ResponseMeta>
  /**
   * All invitations, the newest first, with the players who joined with them.
   *
   * @throws ApiError, ConnectionError.
   * @example
   * const { invitations } = await admin.invitations.list()
   */
  list(options?: CallOptions): ApiPromise<InvitationList & ResponseMeta>
  /**
   * Ends an invitation. Its players stay, and the list shows it for 30 days.
   *
   * @throws NotFoundError with code `invitation_not_found`; ValidationError, ApiError, ConnectionError.
   * @example
   * const { invitations } = await admin.invitations.list()
   * for (const { id } of invitations) await admin.invitations.end(id)
   */
  end(id: string, options?: CallOptions): ApiPromise<ResponseMeta>
}

export function createInvitations(send: Send): InvitationsResource {
  return {
    create: (invitation, options = {}) =>
      send(createdInvitationShape, options, NON_RETRIED_OPTIONS, () => {
        const unknown = optionIssues(invitation, { uses: 1, hours: 1 })
        const { uses, hours } = invitation
        return {
          route: ADMIN_ROUTES.createInvitation,
          json: { uses, hours },
          ifUnknown: { effect: 'the invitation was created', hint: 'Check with invitations.list.' },
          issues: [countIssue(uses, ACCOUNT_LIMITS.invitationUses, 'uses'), hoursIssue(hours), ...unknown],
        }
      }),
    list: (options = {}) =>
      send(invitationListShape, options, CALL_OPTIONS, () => ({ route: ADMIN_ROUTES.listInvitations })),
    end: (id, options = {}) =>
      send(noContentShape, options, CALL_OPTIONS, () => ({
        route: ADMIN_ROUTES.deleteInvitation,
        params: { id },
        issues: [!(typeof id === 'string' && id) && { path: 'id', message: 'Must be the id of an invitation.' }],
      })),
  }
}
