import { ACCOUNT_LIMITS, type LoginFile, type User } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex, toBase64Url } from '../core/bytes.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import { HttpError } from '../http/http-error.ts'
import { INVITATIONS_BASE, invitationKey } from '../store/item-keys.ts'
import type { StoredLogin, StoredRedemption } from './logins.ts'
import type { PlainSecrets } from './user-secrets.ts'
import type { Users } from './users.ts'

/** An invitation as stored. */
export interface StoredInvitation {
  readonly id: string
  /** The hash of the secret of the link. */
  readonly token: string
  readonly uses: number
  readonly createdBy: string
  /** ISO 8601. */
  readonly createdAt: string
  /** ISO 8601. */
  readonly expiresAt: string
  /** The players who came by the invitation. `nonce` is the hash of the client's nonce. */
  readonly players: readonly { readonly name: string; readonly at: string; readonly nonce: string }[]
}

export interface NewLink {
  /** The fragment of the link. */
  readonly token: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A redemption of a link. */
export interface Redemption {
  readonly token: string
  readonly nonce: string
  /** @default a generated password */
  readonly password: string | undefined
  /** The name of the new player, only for an invitation. */
  readonly name: string | undefined
  /** Address of the service in the login file. */
  readonly service: string
  /** Records the redemption before it changes anything. */
  readonly record: (kind: 'user' | 'invitation', name: string) => Promise<unknown>
}

interface LinksOptions {
  readonly storage: FishStorage
  readonly users: Users
  readonly clock: () => number
  readonly random: RandomSource
}

const SECRET_BYTES = 32
const MAX_INVITATIONS = 100
const HOUR_MS = 3_600_000
const REPEAT_MS = ACCOUNT_LIMITS.linkRepeatSeconds * 1000
const TOKEN = /^([ui])([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/

export type Links = ReturnType<typeof createLinks>

/**
 * Creates the login links of players and the invitations. The token of a link contains the id of its user or invitation
 * and 256 random bits, of which the storage has only a hash. A redemption stores its response, encrypted with the token,
 * so that a client that lost the response can repeat the request.
 */
export function createLinks({ storage, users, clock, random }: LinksOptions) {
  const { items } = storage

  async function newToken(kind: 'u' | 'i', id: string) {
    const secret = toBase64Url(random(new Uint8Array(SECRET_BYTES))).replace('=', '')
    return { token: `${kind}${id}.${secret}`, hash: await sha256Hex(secret) }
  }

  async function loadInvitation(id: string) {
    const text = await items.getItem(invitationKey(id))
    return text === null ? undefined : { text, invitation: JSON.parse(text) as StoredInvitation }
  }

  /** Replaces an invitation, and retries after a concurrent change. Returns `undefined` if nothing was changed. */
  async function changeInvitation(
    id: string,
    next: (invitation: StoredInvitation) => StoredInvitation | undefined,
  ): Promise<StoredInvitation | undefined> {
    while (true) {
      const stored = await loadInvitation(id)
      const changed = stored && next(stored.invitation)
      if (!stored || !changed) return undefined
      if (await storage.replaceItemIf(invitationKey(id), stored.text, JSON.stringify(changed))) return changed
    }
  }

  /** The facts of one redemption, with hashes instead of secrets. */
  async function redemptionOf({ nonce, service }: Redemption, secret: string) {
    const [token, nonceHash] = await Promise.all([sha256Hex(secret), sha256Hex(nonce)])
    const fernet = createFernet(`${secret}=`)
    const fileOf = (name: string, secrets: PlainSecrets): LoginFile => ({ version: 1, service, name, ...secrets })
    return {
      token,
      nonce: nonceHash,
      fileOf,
      async stored(name: string, secrets: PlainSecrets): Promise<StoredRedemption> {
        const now = clock()
        const response = await fernet.encrypt(JSON.stringify(fileOf(name, secrets)), { now })
        return { token, nonce: nonceHash, until: now + REPEAT_MS, response }
      },
      /** Returns the response to an earlier request with the same token and nonce. */
      async repeated(user: User): Promise<LoginFile | undefined> {
        const { redeemed } = (await users.findLogin(user)) ?? {}
        if (redeemed?.token !== token || redeemed.nonce !== nonceHash || redeemed.until <= clock()) return undefined
        const { message } = await fernet.decrypt(redeemed.response)
        await users.repeatOwners(user)
        return JSON.parse(new TextDecoder().decode(message)) as LoginFile
      },
    }
  }

  async function redeemLogin(id: string, secret: string, options: Redemption): Promise<LoginFile | undefined> {
    const user = await users.findById(id)
    if (!user || user.suspended) return undefined
    const redemption = await redemptionOf(options, secret)
    const isOpen = ({ link }: StoredLogin) => link?.token === redemption.token && link.expiresAt > clock()
    const repeated = await redemption.repeated(user)
    if (repeated) return repeated
    const login = await users.findLogin(user)
    if (!login || !isOpen(login)) return undefined
    await options.record('user', user.name)
    const secrets = await users.redeemLink(user, isOpen, {
      password: options.password,
      redeem: (given) => redemption.stored(user.name, given),
    })
    // The same request may have been sent twice at once.
    return secrets ? redemption.fileOf(user.name, secrets) : redemption.repeated(user)
  }

  async function redeemInvitation(id: string, secret: string, options: Redemption): Promise<LoginFile | undefined> {
    const { name, password } = options
    const redemption = await redemptionOf(options, secret)
    const isKnown = ({ nonce }: StoredInvitation['players'][number]) => nonce === redemption.nonce
    const now = clock()
    const isOpen = ({ players, uses, expiresAt }: StoredInvitation) =>
      players.length < uses && Date.parse(expiresAt) > now
    const before = (await loadInvitation(id))?.invitation
    if (before?.token !== redemption.token || !(isOpen(before) || before.players.some(isKnown))) return undefined
    if (name === undefined) {
      throw new HttpError('invalid_payload', {
        details: [{ path: 'name', message: 'Must be the name of the new player' }],
      })
    }
    if (!before.players.some(isKnown) && (await users.find(name))) throw new HttpError('user_exists')
    // Take a use before the user is created, so that concurrent requests never create more users than uses.
    const taken = await changeInvitation(id, (invitation) => {
      if (invitation.players.some(isKnown)) return invitation
      const player = { name, at: new Date(now).toISOString(), nonce: redemption.nonce }
      return isOpen(invitation) ? { ...invitation, players: [...invitation.players, player] } : undefined
    })
    const player = taken?.players.find(isKnown)
    if (!player) return undefined
    // Another request with the same nonce may have created the user.
    const repeated = async () => {
      const existing = await users.find(player.name)
      return existing && redemption.repeated(existing)
    }
    const response = await repeated()
    if (response || Date.parse(player.at) + REPEAT_MS <= now) return response
    try {
      const {
        password: chosen,
        fernetKey,
        apiKey,
      } = await users.create(
        { name: player.name, password },
        {
          record: () => options.record('invitation', player.name),
          redeem: (secrets) => redemption.stored(player.name, secrets),
        },
      )
      return redemption.fileOf(player.name, { password: chosen, fernetKey, apiKey })
    } catch (error) {
      const response = await repeated()
      if (response) return response
      await changeInvitation(id, ({ players, ...rest }) => ({
        ...rest,
        players: players.filter((one) => !isKnown(one)),
      }))
      throw error
    }
  }

  return {
    /** Creates the login link of a user, which replaces an earlier link. */
    async create(user: User, hours: number): Promise<NewLink> {
      const { token, hash } = await newToken('u', user.id)
      const expiresAt = clock() + hours * HOUR_MS
      await users.setLink(user, { token: hash, expiresAt })
      return { token, expiresAt: new Date(expiresAt).toISOString() }
    },

    /** Creates an invitation. Throws `too_many_invitations`. */
    async invite(
      uses: number,
      hours: number,
      createdBy: string,
    ): Promise<{ token: string; invitation: StoredInvitation }> {
      if ((await storage.countItems(INVITATIONS_BASE)) >= MAX_INVITATIONS) throw new HttpError('too_many_invitations')
      const now = clock()
      const id = uuidv7(now, random)
      const { token, hash } = await newToken('i', id)
      const [createdAt, expiresAt] = [now, now + hours * HOUR_MS].map((time) => new Date(time).toISOString()) as [
        string,
        string,
      ]
      const invitation = { id, token: hash, uses, createdBy, createdAt, expiresAt, players: [] }
      await items.setItem(invitationKey(id), JSON.stringify(invitation))
      return { token, invitation }
    },

    /** All invitations, the newest first. */
    async invitations(): Promise<readonly StoredInvitation[]> {
      const page = await storage.listItems({ base: INVITATIONS_BASE, limit: MAX_INVITATIONS })
      return page.items.map(({ value }) => JSON.parse(value) as StoredInvitation).reverse()
    },

    /** Ends an invitation. Returns `false` if it does not exist. */
    async endInvitation(id: string): Promise<boolean> {
      while (true) {
        const stored = await loadInvitation(id)
        if (!stored) return false
        if (await storage.removeItemIf(invitationKey(id), stored.text)) return true
      }
    },

    /** Redeems a link. Returns `undefined` if the link is used, expired or unknown. */
    async redeem(options: Redemption): Promise<LoginFile | undefined> {
      const [, kind, id = '', secret = ''] = TOKEN.exec(options.token) ?? []
      if (kind === 'u') return redeemLogin(id, secret, options)
      return kind === 'i' ? redeemInvitation(id, secret, options) : undefined
    },
  }
}
