import { type AuditAction, type AuditEntry, type AuditPage, UNKNOWN_ACTOR, userNameKey } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { createLruCache } from '../core/cache.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import { clientKey, siteKey } from '../http/client-address.ts'
import type { RequestContext } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { AUDIT_BASE, auditKey, failedLoginKey } from '../store/item-keys.ts'

export type Audit = ReturnType<typeof createAudit>

const LISTING = 'audit'

/** The object of an action: a user or an administrator, and the catches that the action changed. */
export type AuditDetails = Pick<
  AuditEntry,
  'subject' | 'newName' | 'record' | 'gamemode' | 'movedTo' | 'catches' | 'species'
>

type Origin = Pick<RequestContext, 'address' | 'requestId'>

type AuditEvent = Omit<AuditEntry, 'id' | 'at' | 'count' | 'lastAt'>

/** A change that is recorded before it runs. */
export interface AuditedChange {
  /**
   * Adds the changed catches. The change is already done, so an error here must not look like a failed change: the entry
   * then stays in the log without its catches.
   */
  complete(changed: Pick<AuditDetails, 'catches' | 'species'>): Promise<void>
  /** Removes the entry of a change that found no record. Otherwise, failed attempts would crowd out real changes. */
  discard(): Promise<void>
}

/** An entry in which equal events are counted. */
interface Joinable {
  readonly key: Promise<string>
  entry: AuditEntry
  /** The entry after the last write. */
  stored: AuditEntry
  lastWrite: Promise<unknown>
  /** The write that stores `entry`, until the write starts. */
  nextWrite: Promise<boolean> | undefined
}

/** How long equal events are counted in one entry, from its first event on, in milliseconds. */
const JOIN_MS = 300_000
/** The number of entries in memory. An event whose entry is no longer in memory gets a new entry. */
const MAX_JOINABLE = 10_000

/**
 * Creates the functions that add actions to the log. An action is recorded before it runs, so a recorded action may have
 * failed.
 *
 * Equal events of one client are counted in one entry, which stays in its place. Otherwise, one player who reads a key
 * in a loop would push all other entries out of the first pages.
 */
export function createAuditRecorder(storage: FishStorage, clock: () => number, random: RandomSource) {
  const joinable = createLruCache<string, Joinable>(MAX_JOINABLE)

  async function store(entry: AuditEntry): Promise<string> {
    const { items } = await storage.listItems({ base: AUDIT_BASE, limit: 1 })
    const key = auditKey(entry, items[0]?.key)
    await storage.items.setItem(key, JSON.stringify(entry))
    return key
  }

  function entryOf(event: AuditEvent): AuditEntry {
    const now = clock()
    return { id: uuidv7(now, random), at: new Date(now).toISOString(), ...event }
  }

  /** Counts an event in the entry of an equal event, and returns whether there is such an entry. */
  async function join(event: AuditEvent): Promise<boolean> {
    const first = joinable.get(equalityKey(event))
    const now = clock()
    const age = first ? now - Date.parse(first.entry.at) : -1
    if (!first || age < 0 || age >= JOIN_MS) return false
    first.entry = { ...first.entry, count: (first.entry.count ?? 1) + 1, lastAt: new Date(now).toISOString() }
    // Events that arrive during a write share the next write.
    first.nextWrite ??= first.lastWrite.then(() => update(first))
    return first.nextWrite
  }

  /** Stores the counted events. Returns `false` if the entry was discarded. */
  function update(first: Joinable): Promise<boolean> {
    const { key, stored, entry } = first
    const write = key.then((key) => storage.replaceItemIf(key, JSON.stringify(stored), JSON.stringify(entry)))
    first.nextWrite = undefined
    first.lastWrite = write.catch(() => {})
    first.stored = entry
    return write
  }

  /** Stores an entry in which equal events are counted later. Returns its key. */
  async function open(entry: AuditEntry, stored: Promise<string>): Promise<string> {
    const equal = equalityKey(entry)
    // Concurrent equal events wait for the same entry.
    joinable.set(equal, { entry, stored: entry, key: stored, lastWrite: Promise.resolve(), nextWrite: undefined })
    return stored.catch((error: unknown) => {
      joinable.delete(equal)
      throw error
    })
  }

  return {
    /**
     * Records an event. Returns the key of its new entry, or `undefined` if the event is counted in an existing entry or
     * not recorded.
     * @param mayStore decides whether a new entry is stored @default always
     */
    async record(
      origin: Origin,
      actor: string,
      action: AuditAction,
      { mayStore, ...details }: AuditDetails & { mayStore?: () => Promise<boolean> } = {},
    ): Promise<string | undefined> {
      const event = eventOf(origin, actor, action, details)
      if ((await join(event)) || (await mayStore?.()) === false) return undefined
      const entry = entryOf(event)
      return open(entry, store(entry))
    },

    /** Records a change of catches before it runs. */
    async begin(origin: Origin, actor: string, action: AuditAction, details: AuditDetails): Promise<AuditedChange> {
      const event = eventOf(origin, actor, action, details)
      const entry = entryOf(event)
      const key = await store(entry)
      return {
        async complete(changed) {
          try {
            if (await join({ ...event, ...changed })) return await storage.items.removeItem(key)
            const complete = { ...entry, ...changed }
            await open(
              complete,
              storage.items.setItem(key, JSON.stringify(complete)).then(() => key),
            )
          } catch {
            // The entry stays in the log without its catches.
          }
        },
        discard: () => storage.items.removeItem(key),
      }
    },
  }
}

function eventOf(
  { address, requestId }: Origin,
  actor: string,
  action: AuditAction,
  details: AuditDetails,
): AuditEvent {
  return { actor, action, ...details, address, requestId }
}

function equalityKey({ actor, action, subject, record, gamemode, movedTo, catches, address }: AuditEvent): string {
  return JSON.stringify([actor, action, subject, record, gamemode, movedTo, catches, clientKey(address)])
}

const HOUR_MS = 3_600_000
/**
 * Anyone can cause failed logins. These limits bound the space for failed logins, and the number of entries that one
 * site can evict.
 */
const FAILED_LOGINS = { perHourAndSite: 10, perHour: 100, hours: 7 * 24 }

/** Creates the audit log, which contains the actor, action, subject, time and client address of each action. */
export function createAudit(storage: FishStorage, cursors: Cursors, clock: () => number, random: RandomSource) {
  const { record, begin } = createAuditRecorder(storage, clock, random)

  async function isWithin(key: string, limit: number): Promise<number | undefined> {
    const { count } = await storage.countInWindow(key, { durationMs: HOUR_MS, limit, now: clock() })
    return count > limit ? undefined : count
  }

  const cursorAt = (key: string) => cursors.sign(key.slice(AUDIT_BASE.length), LISTING)

  return {
    record,
    begin,

    /** @param entry key of an entry */
    discard: (entry: string) => storage.items.removeItem(entry),

    /**
     * Records a failed login. New entries are limited to 10 an hour for each site and 100 an hour in total. A new entry
     * may replace the entry of a failed login from an earlier week, but never any other entry.
     * @param name name of the account, if the account exists
     */
    async recordFailedLogin(context: Origin, name: string | undefined): Promise<void> {
      const { perHourAndSite, perHour, hours } = FAILED_LOGINS
      const hour = Math.floor(clock() / HOUR_MS)
      let slot: number | undefined
      const mayStore = async () => {
        // Failed logins must not take the space that administrators need on a full storage.
        if (storage.remainingReserve() < 1) return false
        if ((await isWithin(`failed-login:${siteKey(context.address)}`, perHourAndSite)) === undefined) return false
        slot = await isWithin(`failed-logins:${hour}`, perHour)
        return slot !== undefined
      }
      const key = await record(context, name ?? UNKNOWN_ACTOR, 'login.failed', { mayStore })
      if (key === undefined || slot === undefined) return
      const slotKey = failedLoginKey(hour % hours, slot)
      const replaced = await storage.items.getItem(slotKey)
      if (replaced?.startsWith(AUDIT_BASE)) await storage.items.removeItem(replaced)
      await storage.items.setItem(slotKey, key)
    },

    async list({ limit, cursor, ...filter }: AuditQuery): Promise<AuditPage> {
      const entries: AuditEntry[] = []
      let after = cursor === undefined ? undefined : `${AUDIT_BASE}${await cursors.verify(cursor, LISTING)}`
      for (let read = 0; read < MAX_READ; read += READ_AT_ONCE) {
        const page = { base: AUDIT_BASE, limit: hasFilter(filter) ? READ_AT_ONCE : limit }
        const { items, next } = await storage.listItems({ ...page, ...(after === undefined ? {} : { after }) })
        for (const { key, value } of items) {
          const entry = JSON.parse(value) as AuditEntry
          if (!matches(entry, filter)) continue
          entries.push(entry)
          const isLast = next === undefined && key === items.at(-1)?.key
          if (entries.length === limit && !isLast) return { entries, nextCursor: await cursorAt(key) }
        }
        if (next === undefined) return { entries }
        after = next
      }
      return after === undefined ? { entries } : { entries, nextCursor: await cursorAt(after) }
    },
  }
}

/** Maximum number of entries that one filtered request reads. */
const MAX_READ = 10_000
const READ_AT_ONCE = 1000

interface AuditFilter {
  readonly actor?: string | undefined
  readonly user?: string | undefined
  readonly action?: AuditAction | undefined
}

interface AuditQuery extends AuditFilter {
  readonly limit: number
  readonly cursor?: string | undefined
}

function hasFilter({ actor, user, action }: AuditFilter): boolean {
  return actor !== undefined || user !== undefined || action !== undefined
}

function matches({ actor, subject = actor, action }: AuditEntry, filter: AuditFilter): boolean {
  const isName = (name: string, wanted: string | undefined) =>
    wanted === undefined || userNameKey(name) === userNameKey(wanted)
  return (
    isName(actor, filter.actor) &&
    isName(subject, filter.user) &&
    (filter.action === undefined || filter.action === action)
  )
}
