// Generated from contract/schemas.ts by `npm run generate`; `npm run check` fails if it is out of date.
import type { Administrator, AdministratorList, AuditPage, CreatedInvitation, CreatedUser, InvitationList, Leaderboard, LoginLink, NewApiKey, NewPassword, OwnAccount, Session, Stats, Suspension, UserDetails, UserList } from '../contract/schemas.ts'
import { responseShape } from '../client/shapes/shape.ts'

/** Shape of {@link Session}, for checking responses. */
export const sessionShape = /* @__PURE__ */ responseShape<Session>({"type":"object","required":{"token":{"type":"string"},"expiresAt":{"type":"date-time"}}})

/** Shape of {@link Administrator}, for checking responses. */
export const administratorShape = /* @__PURE__ */ responseShape<Administrator>({"type":"object","required":{"username":{"type":"string"},"role":{"type":"enum","values":["admin","superadmin"]},"createdAt":{"type":"date-time"}}})

/** Shape of {@link OwnAccount}, for checking responses. */
export const ownAccountShape = /* @__PURE__ */ responseShape<OwnAccount>({"type":"object","required":{"username":{"type":"string"},"role":{"type":"enum","values":["admin","superadmin"]},"createdAt":{"type":"date-time"},"timestamp":{"type":"date-time"},"version":{"type":"string"}},"optional":{"gamemodes":{"type":"array","items":{"type":"string"}},"publicUrl":{"type":"string"}}})

/** Shape of {@link AdministratorList}, for checking responses. */
export const administratorListShape = /* @__PURE__ */ responseShape<AdministratorList>({"type":"object","required":{"admins":{"type":"array","items":{"type":"object","required":{"username":{"type":"string"},"role":{"type":"enum","values":["admin","superadmin"]},"createdAt":{"type":"date-time"}}}}}})

/** Shape of {@link UserDetails}, for checking responses. */
export const userDetailsShape = /* @__PURE__ */ responseShape<UserDetails>({"type":"object","required":{"id":{"type":"string"},"name":{"type":"string"},"createdAt":{"type":"date-time"}},"optional":{"suspended":{"type":"enum","values":[true,false]},"hidden":{"type":"enum","values":[true,false]},"public":{"type":"enum","values":[true,false]},"totals":{"type":"object","required":{"fish":{"type":"count"},"crab":{"type":"count"}}},"lastCatch":{"type":"object","required":{"at":{"type":"date-time"},"kind":{"type":"enum","values":["fish","crab"]},"gamemode":{"type":"string"}}},"lastKeyReadAt":{"type":"date-time"}}})

/** Shape of {@link UserList}, for checking responses. */
export const userListShape = /* @__PURE__ */ responseShape<UserList>({"type":"object","required":{"users":{"type":"array","items":{"type":"object","required":{"id":{"type":"string"},"name":{"type":"string"},"createdAt":{"type":"date-time"}},"optional":{"suspended":{"type":"enum","values":[true,false]},"hidden":{"type":"enum","values":[true,false]},"public":{"type":"enum","values":[true,false]},"totals":{"type":"object","required":{"fish":{"type":"count"},"crab":{"type":"count"}}},"lastCatch":{"type":"object","required":{"at":{"type":"date-time"},"kind":{"type":"enum","values":["fish","crab"]},"gamemode":{"type":"string"}}}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link CreatedUser}, for checking responses. */
export const createdUserShape = /* @__PURE__ */ responseShape<CreatedUser>({"type":"object","required":{"id":{"type":"string"},"name":{"type":"string"},"createdAt":{"type":"date-time"},"password":{"type":"string"},"fernetKey":{"type":"string"},"apiKey":{"type":"string"}},"optional":{"suspended":{"type":"enum","values":[true,false]},"hidden":{"type":"enum","values":[true,false]},"public":{"type":"enum","values":[true,false]}}})

/** Shape of {@link Suspension}, for checking responses. */
export const suspensionShape = /* @__PURE__ */ responseShape<Suspension>({"type":"object","required":{"name":{"type":"string"},"suspended":{"type":"enum","values":[true,false]},"hidden":{"type":"enum","values":[true,false]}}})

/** Shape of {@link LoginLink}, for checking responses. */
export const loginLinkShape = /* @__PURE__ */ responseShape<LoginLink>({"type":"object","required":{"url":{"type":"string"},"expiresAt":{"type":"date-time"}}})

/** Shape of {@link CreatedInvitation}, for checking responses. */
export const createdInvitationShape = /* @__PURE__ */ responseShape<CreatedInvitation>({"type":"object","required":{"id":{"type":"string"},"uses":{"type":"count"},"remaining":{"type":"count"},"createdBy":{"type":"string"},"createdAt":{"type":"date-time"},"expiresAt":{"type":"date-time"},"players":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"at":{"type":"date-time"}}}},"url":{"type":"string"}}})

/** Shape of {@link InvitationList}, for checking responses. */
export const invitationListShape = /* @__PURE__ */ responseShape<InvitationList>({"type":"object","required":{"invitations":{"type":"array","items":{"type":"object","required":{"id":{"type":"string"},"uses":{"type":"count"},"remaining":{"type":"count"},"createdBy":{"type":"string"},"createdAt":{"type":"date-time"},"expiresAt":{"type":"date-time"},"players":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"at":{"type":"date-time"}}}}}}}}})

/** Shape of {@link NewPassword}, for checking responses. */
export const newPasswordShape = /* @__PURE__ */ responseShape<NewPassword>({"type":"object","required":{"password":{"type":"string"}}})

/** Shape of {@link NewApiKey}, for checking responses. */
export const newApiKeyShape = /* @__PURE__ */ responseShape<NewApiKey>({"type":"object","required":{"apiKey":{"type":"string"}}})

/** Shape of {@link Stats}, for checking responses. */
export const statsShape = /* @__PURE__ */ responseShape<Stats>({"type":"object","required":{"users":{"type":"count"},"fish":{"type":"object","required":{"total":{"type":"count"},"byGamemode":{"type":"record","values":{"type":"count"}},"byRarity":{"type":"record","keys":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"],"values":{"type":"count"}}}},"crab":{"type":"object","required":{"total":{"type":"count"},"byGamemode":{"type":"record","values":{"type":"count"}}}}}})

/** Shape of {@link Leaderboard}, for checking responses. */
export const leaderboardShape = /* @__PURE__ */ responseShape<Leaderboard>({"type":"object","required":{"type":{"type":"enum","values":["fish","crab"]},"leaderboard":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"}}}}},"optional":{"gamemode":{"type":"string"}}})

/** Shape of {@link AuditPage}, for checking responses. */
export const auditPageShape = /* @__PURE__ */ responseShape<AuditPage>({"type":"object","required":{"entries":{"type":"array","items":{"type":"object","required":{"id":{"type":"string"},"at":{"type":"date-time"},"actor":{"type":"string"},"action":{"type":"enum","values":["login","login.failed","logout","key.read","user.create","user.delete","user.login-link","user.login-link.redeem","user.rename","user.suspend","user.unsuspend","user.public","user.private","user.password","user.reset.password","user.reset.fernet","user.reset.api-key","fish.add","fish.delete","fish.move","crab.add","crab.delete","crab.move","invitation.create","invitation.delete","invitation.redeem","export","admin.create","admin.delete","admin.password","admin.reset.password"]},"address":{"type":"string"},"requestId":{"type":"string"}},"optional":{"subject":{"type":"string"},"newName":{"type":"string"},"record":{"type":"string"},"gamemode":{"type":"string"},"movedTo":{"type":"string"},"catches":{"type":"count"},"species":{"type":"array","items":{"type":"string"}},"count":{"type":"count"},"lastAt":{"type":"date-time"}}}}},"optional":{"nextCursor":{"type":"string"}}})
