import type { LoginFile, User } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import type { RandomSource } from '../core/ids.ts'
import { createInvitations } from './invitations.ts'
import type { StoredLogin } from './logins.ts'
import { createRedemption, newToken, parseToken, type RedemptionRequest } from './redemption.ts'
import type { Users } from './users.ts'

interface NewLink {
  /** The fragment of the link. */
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

interface LinksOptions {
  readonly storage: FishStorage
  readonly users: Users
  readonly clock: () => number
  readonly random: RandomSource
}

interface Redeem extends Omit<RedemptionRequest, 'record'> {
  readonly token: string
  /** Records the redemption before it changes anything. @param invitation the id of the invitation, if it is one */
  readonly record: (subject: string, invitation?: string) => Promise<unknown>
}

const HOUR_MS = 3_600_000

export type Links = ReturnType<typeof createLinks>

/** Creates the links with which players get a login file: the login links of players, and the invitations. */
export function createLinks({ storage, users, clock, random }: LinksOptions) {
  const invitations = createInvitations({ storage, users, clock, random })

  async function redeemLogin(id: string, secret: string, request: RedemptionRequest): Promise<LoginFile | undefined> {
    const user = await users.findById(id)
    if (!user) return undefined
    const redemption = await createRedemption(request, secret, { users, clock })
    const isOpen = ({ link }: StoredLogin) => link?.token === redemption.token && link.expiresAt > clock()
    const repeated = await redemption.repeated(user)
    if (repeated) return repeated
    const login = await users.findLogin(user)
    if (!login || !isOpen(login)) return undefined
    await request.record(user.name)
    const secrets = await users.redeemLink(user, isOpen, {
      password: request.password,
      redeem: (given) => redemption.stored(user.name, given),
    })
    // The same request may have been sent twice at once.
    return secrets ? redemption.fileOf(user.name, secrets) : redemption.repeated(user)
  }

  return {
    invitations,

    /** Creates the login link of a user, which replaces an earlier link. */
    async create(user: User, hours: number): Promise<NewLink> {
      const { token, hash } = await newToken('u', user.id, random)
      const expiresAt = clock() + hours * HOUR_MS
      await users.setLink(user, { token: hash, expiresAt })
      return { token, expiresAt: new Date(expiresAt).toISOString() }
    },

    /** Redeems a link. Returns `undefined` if the link is used, expired or unknown. */
    async redeem({ token, record, ...request }: Redeem): Promise<LoginFile | undefined> {
      const link = parseToken(token)
      if (!link) return undefined
      const { kind, id, secret } = link
      if (kind === 'u') return redeemLogin(id, secret, { ...request, record })
      return invitations.redeem(id, secret, { ...request, record: (subject) => record(subject, id) })
    },
  }
}
