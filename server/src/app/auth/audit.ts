import { type AuditAction, type AuditEntry, type AuditPage, UNKNOWN_ACTOR } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import type { RequestContext } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { AUDIT_BASE, auditKey, failedLoginKey } from '../store/item-keys.ts'

export type Audit = ReturnType<typeof createAudit>

const LISTING = 'audit'

/** The catches that an action changed. */
export type AuditDetails = Pick<AuditEntry, 'record' | 'gamemode' | 'movedTo' | 'count'>

type Origin = Pick<RequestContext, 'address' | 'requestId'>

/**
 * Creates the function that adds an action to the log. An action is recorded before it runs, so a recorded action may
 * have failed.
 */
export function createAuditRecorder(storage: FishStorage, clock: () => number, random: RandomSource) {
  /** Returns the key of the entry. */
  return async (
    { address, requestId }: Origin,
    actor: string,
    action: AuditAction,
    subject?: string,
    details: AuditDetails = {},
  ): Promise<string> => {
    const now = clock()
    const id = uuidv7(now, random)
    const entry: AuditEntry = {
      id,
      at: new Date(now).toISOString(),
      actor,
      action,
      ...(subject === undefined ? {} : { subject }),
      ...details,
      address,
      requestId,
    }
    const key = auditKey(entry)
    await storage.items.setItem(key, JSON.stringify(entry))
    return key
  }
}

const HOUR_MS = 3_600_000
/**
 * Anyone can cause failed logins. These limits bound the space for failed logins, and the number of entries that one
 * client can evict.
 */
const FAILED_LOGINS = { perHourAndClient: 10, perHour: 100, hours: 7 * 24 }

/** Creates the audit log, which contains the actor, action, subject, time and client address of each action. */
export function createAudit(storage: FishStorage, cursors: Cursors, clock: () => number, random: RandomSource) {
  const record = createAuditRecorder(storage, clock, random)

  async function isWithin(key: string, limit: number): Promise<number | undefined> {
    const { count } = await storage.countInWindow(key, { durationMs: HOUR_MS, limit, now: clock() })
    return count > limit ? undefined : count
  }

  return {
    record,

    /** Removes the entry of a change that found no record. Otherwise, failed attempts would crowd out real changes. */
    discard: (key: string) => storage.items.removeItem(key),

    /**
     * Adds the number of changed catches to the entry of a change. The change is already done, so an error here must
     * not look like a failed change.
     */
    async complete(key: string, count: number): Promise<void> {
      const { items } = storage
      try {
        const entry = await items.getItem(key)
        if (entry !== null) await items.setItem(key, JSON.stringify({ ...JSON.parse(entry), count }))
      } catch {
        // The entry stays in the log without a count.
      }
    },

    /**
     * Records a failed login, up to 10 an hour for each client and 100 an hour in total. A new entry may replace the
     * entry of a failed login from an earlier week, but never any other entry.
     * @param name name of the account, if the account exists
     */
    async recordFailedLogin(context: Origin & Pick<RequestContext, 'client'>, name: string | undefined): Promise<void> {
      const { perHourAndClient, perHour, hours } = FAILED_LOGINS
      if ((await isWithin(`failed-login:${context.client}`, perHourAndClient)) === undefined) return
      const hour = Math.floor(clock() / HOUR_MS)
      const place = await isWithin(`failed-logins:${hour}`, perHour)
      if (place === undefined) return
      const placeKey = failedLoginKey(hour % hours, place)
      const replaced = await storage.items.getItem(placeKey)
      if (replaced?.startsWith(AUDIT_BASE)) await storage.items.removeItem(replaced)
      await storage.items.setItem(placeKey, await record(context, name ?? UNKNOWN_ACTOR, 'login.failed'))
    },

    async list({ limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<AuditPage> {
      const position = cursor === undefined ? undefined : await cursors.verify(cursor, LISTING)
      const { items, next } = await storage.listItems({
        base: AUDIT_BASE,
        limit,
        ...(position === undefined ? {} : { after: `${AUDIT_BASE}${position}` }),
      })
      const entries = items.map(({ value }) => JSON.parse(value) as AuditEntry)
      if (next === undefined) return { entries }
      return { entries, nextCursor: await cursors.sign(next.slice(AUDIT_BASE.length), LISTING) }
    },
  }
}
