import {
  type CreatedInvitation,
  type InvitationList,
  type LoginLink,
  newInvitationSchema,
  newLoginLinkSchema,
  ROUTES,
  redemptionSchema,
} from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { readJson, validate } from '../http/request.ts'
import { empty, json } from '../http/response.ts'
import type { StoredInvitation } from '../users/invitations.ts'
import { readAdminJson } from './parameters.ts'
import type { AdminHandlers, Services } from './services.ts'

/**
 * Returns the address of a link. Throws `public_url_missing`: the `Host` header of a request must not decide where a
 * link leads.
 */
function requirePublicUrl({ publicUrl }: Pick<Services, 'publicUrl'>): string {
  if (publicUrl === undefined) throw new HttpError('public_url_missing')
  return publicUrl
}

const linkOf = (publicUrl: string, token: string) => `${publicUrl}${ROUTES.loginPage.path}#${token}`

/** Creates the handlers with which administrators create login links and invitations. */
export function linkHandlers(services: Services): AdminHandlers {
  const { users, links, audit } = services
  return {
    async createLoginLink(context, admin) {
      const { hours } = validate(newLoginLinkSchema, await readAdminJson(services, context), 'invalid_payload')
      const user = await users.require(context.params.name ?? '')
      const publicUrl = requirePublicUrl(services)
      if (user.suspended) throw new HttpError('user_suspended')
      await audit.record(context, admin.username, 'user.login-link', { subject: user.name })
      const { token, expiresAt } = await links.create(user, hours)
      // A suspension ends the link after the user is stored as suspended, so one of the two ends a concurrent link.
      if ((await users.findById(user.id))?.suspended) {
        await users.endLink(user)
        throw new HttpError('user_suspended')
      }
      return json(200, { url: linkOf(publicUrl, token), expiresAt } satisfies LoginLink)
    },

    async createInvitation(context, admin) {
      const { uses, hours } = validate(newInvitationSchema, await readAdminJson(services, context), 'invalid_payload')
      const publicUrl = requirePublicUrl(services)
      const { token, invitation } = await links.invitations.create({ uses, hours, createdBy: admin.username })
      await audit.record(context, admin.username, 'invitation.create', { record: invitation.id })
      return json(201, { ...toInvitation(invitation), url: linkOf(publicUrl, token) } satisfies CreatedInvitation)
    },

    async listInvitations() {
      return json(200, { invitations: (await links.invitations.list()).map(toInvitation) } satisfies InvitationList)
    },

    async deleteInvitation(context, admin) {
      const invitation = await links.invitations.findOpen(context.params.id ?? '')
      if (!invitation) throw new HttpError('invitation_not_found')
      await audit.record(context, admin.username, 'invitation.delete', { record: invitation.id })
      await links.invitations.end(invitation.id)
      return empty(204)
    },
  }
}

/** Creates the handler that redeems login links and invitations. */
export function redeemHandler(services: Services): AdminHandlers {
  const { links, audit, loginLimiter } = services
  return {
    async redeemLoginLink(context) {
      const { token, nonce, password, name } = validate(redemptionSchema, await readJson(context), 'invalid_payload')
      const service = requirePublicUrl(services)
      // Invalid links share the window of invalid names.
      const file = await loginLimiter.run({ client: context.client, name: '' }, () =>
        links.redeem({
          ...{ token, nonce, password, name, service },
          record: (subject, invitation) =>
            invitation === undefined
              ? audit.record(context, subject, 'user.login-link.redeem', { subject })
              : audit.record(context, subject, 'invitation.redeem', { subject, record: invitation }),
        }),
      )
      if (file) return json(200, file)
      await audit.recordFailedLogin(context, undefined)
      throw new HttpError('link_not_found')
    },
  }
}

function toInvitation({ token: _, players, ...invitation }: StoredInvitation) {
  const { uses } = invitation
  return {
    ...invitation,
    remaining: uses - players.length,
    players: players.map(({ name, at }) => ({ name, at })),
  }
}
