import type { LoginFile } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import { HttpError } from '../http/http-error.ts'
import { INVITATIONS_BASE, invitationKey } from '../store/item-keys.ts'
import { createRedemption, newToken, REPEAT_MS, type RedemptionRequest } from './redemption.ts'
import type { Users } from './users.ts'

/** A player who joined with an invitation, or a use that a request has just taken. */
interface InvitedPlayer {
  readonly name: string
  /** ISO 8601. */
  readonly at: string
  /** The hash of the client's nonce. */
  readonly nonce: string
  /** The id of the user. Absent until the user is created. */
  readonly id?: string
}

/** An invitation as stored. */
export interface StoredInvitation {
  readonly id: string
  /** The hash of the secret of the link. */
  readonly token: string
  readonly uses: number
  readonly createdBy: string
  /** ISO 8601. */
  readonly createdAt: string
  /** ISO 8601. An invitation that was ended has the time of its end. */
  readonly expiresAt: string
  readonly players: readonly InvitedPlayer[]
}

interface InvitationsOptions {
  readonly storage: FishStorage
  readonly users: Users
  readonly clock: () => number
  readonly random: RandomSource
}

const MAX_INVITATIONS = 100
const HOUR_MS = 3_600_000
const KEPT_MS = 30 * 24 * HOUR_MS

/** Creates the store of invitations: links with which several players create their own accounts. */
export function createInvitations({ storage, users, clock, random }: InvitationsOptions) {
  const { items } = storage

  async function load(id: string) {
    const text = await items.getItem(invitationKey(id))
    return text === null ? undefined : { text, invitation: JSON.parse(text) as StoredInvitation }
  }

  /** Replaces an invitation, and retries after a concurrent change. Returns `undefined` if nothing was changed. */
  async function change(
    id: string,
    next: (invitation: StoredInvitation) => StoredInvitation | undefined,
  ): Promise<StoredInvitation | undefined> {
    while (true) {
      const stored = await load(id)
      const changed = stored && next(stored.invitation)
      if (!stored || !changed) return undefined
      if (await storage.replaceItemIf(invitationKey(id), stored.text, JSON.stringify(changed))) return changed
    }
  }

  const hasExpired = ({ expiresAt }: StoredInvitation) => Date.parse(expiresAt) <= clock()
  const isOpen = (invitation: StoredInvitation) =>
    invitation.players.length < invitation.uses && !hasExpired(invitation)

  /** All invitations, the newest first. Removes the invitations that ended 30 days ago. */
  async function list(): Promise<readonly StoredInvitation[]> {
    const page = await storage.listItems({ base: INVITATIONS_BASE, limit: 2 * MAX_INVITATIONS })
    const stored = page.items.map(({ value }) => JSON.parse(value) as StoredInvitation).reverse()
    const isOld = ({ expiresAt }: StoredInvitation) => Date.parse(expiresAt) + KEPT_MS <= clock()
    await Promise.all(stored.filter(isOld).map(({ id }) => items.removeItem(invitationKey(id))))
    return stored.filter((invitation) => !isOld(invitation))
  }

  return {
    list,

    /** Creates an invitation. Makes room by removing the oldest ended one. Throws `too_many_invitations`. */
    async create({ uses, hours, createdBy }: { uses: number; hours: number; createdBy: string }) {
      const existing = await list()
      if (existing.length >= MAX_INVITATIONS) {
        const oldest = existing.findLast(hasExpired)
        if (!oldest) throw new HttpError('too_many_invitations')
        await items.removeItem(invitationKey(oldest.id))
      }
      const now = clock()
      const id = uuidv7(now, random)
      const { token, hash } = await newToken('i', id, random)
      const invitation: StoredInvitation = {
        ...{ id, token: hash, uses, createdBy, players: [] },
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + hours * HOUR_MS).toISOString(),
      }
      await items.setItem(invitationKey(id), JSON.stringify(invitation))
      return { token, invitation }
    },

    /** Returns an invitation that has not expired and was not ended. */
    async findOpen(id: string): Promise<StoredInvitation | undefined> {
      const invitation = (await load(id))?.invitation
      return invitation && !hasExpired(invitation) ? invitation : undefined
    },

    /** Ends an invitation. Its players stay. */
    async end(id: string): Promise<void> {
      const expiresAt = new Date(clock()).toISOString()
      await change(id, (invitation) => (hasExpired(invitation) ? undefined : { ...invitation, expiresAt }))
    },

    /** Creates a player. Returns `undefined` if the invitation is used up, ended or unknown. */
    async redeem(id: string, secret: string, request: RedemptionRequest): Promise<LoginFile | undefined> {
      const { name, password } = request
      const redemption = await createRedemption(request, secret, { users, clock })
      const isOwn = ({ nonce }: InvitedPlayer) => nonce === redemption.nonce
      const now = clock()
      const isRecent = ({ at }: InvitedPlayer) => Date.parse(at) + REPEAT_MS > now
      const before = (await load(id))?.invitation
      if (before?.token !== redemption.token || !(isOpen(before) || before.players.some(isOwn))) return undefined
      if (name === undefined) {
        throw new HttpError('invalid_payload', {
          details: [{ path: 'name', message: 'Must be the name of the new player' }],
        })
      }
      // Take a use before the user is created, so that concurrent requests never create more users than uses.
      let hasTaken = false
      const taken = await change(id, (invitation) => {
        hasTaken = !invitation.players.some(isOwn)
        if (!hasTaken) return invitation
        const player = { name, at: new Date(now).toISOString(), nonce: redemption.nonce }
        return isOpen(invitation) ? { ...invitation, players: [...invitation.players, player] } : undefined
      })
      const player = taken?.players.find(isOwn)
      if (!player) return undefined
      // The response may have been lost, or another request with the same nonce may be creating the user.
      const repeat = async () => redemption.repeated(await users.find(player.name))
      const response = hasTaken ? undefined : await repeat()
      if (response || player.id !== undefined || !isRecent(player)) return response
      try {
        const user = await users.create(
          { name: player.name, password },
          {
            record: () => request.record(player.name),
            redeem: (secrets) => redemption.stored(player.name, secrets),
          },
        )
        await change(id, ({ players, ...rest }) => ({
          ...rest,
          players: players.map((one) => (isOwn(one) ? { ...one, id: user.id } : one)),
        }))
        return redemption.fileOf(player.name, {
          password: user.password,
          fernetKey: user.fernetKey,
          apiKey: user.apiKey,
        })
      } catch (error) {
        const response = await repeat()
        if (response) return response
        // Give back the use.
        if (hasTaken)
          await change(id, ({ players, ...rest }) => ({ ...rest, players: players.filter((one) => !isOwn(one)) }))
        throw error
      }
    },
  }
}
