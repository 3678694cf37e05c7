import type { AuditAction, AuditEntry, AuditPage } from '@fish-crab/sdk/admin'

/** The actions of the audit log, as verbs between an actor and a subject. */
export const AUDIT_ACTIONS: Readonly<Record<AuditAction, string>> = {
  login: 'signed in',
  'login.failed': 'failed to sign in',
  logout: 'signed out',
  'key.read': 'read the Fernet key of',
  'user.create': 'created the player',
  'user.delete': 'deleted the player',
  'user.login-link': 'created a login link for',
  'user.login-link.redeem': 'used the login link of',
  'user.rename': 'renamed',
  'user.suspend': 'suspended',
  'user.unsuspend': 'ended the suspension of',
  'user.public': 'made public the collections of',
  'user.private': 'made private the collections of',
  'user.password': 'changed the password of',
  'user.reset.password': 'replaced the password of',
  'user.reset.fernet': 'replaced the Fernet key of',
  'user.reset.api-key': 'replaced the API key of',
  'fish.add': 'added fish for',
  'fish.delete': 'removed fish of',
  'fish.move': 'moved fish of',
  'crab.add': 'added crabs for',
  'crab.delete': 'removed crabs of',
  'crab.move': 'moved crabs of',
  'invitation.create': 'created an invitation',
  'invitation.delete': 'ended an invitation',
  'invitation.redeem': 'joined with an invitation',
  export: 'exported the catches of all players',
  'admin.create': 'created the administrator',
  'admin.delete': 'removed the administrator',
  'admin.password': 'changed the password of the administrator',
  'admin.reset.password': 'replaced the password of the administrator',
}

export function isAuditAction(value: unknown): value is AuditAction {
  return typeof value === 'string' && Object.hasOwn(AUDIT_ACTIONS, value)
}

/** A filter for entries of the audit log. */
export interface AuditFilter {
  /** Part of a name, an address or a request id, in any letter case. An empty text matches all entries. */
  readonly text: string
  readonly action: AuditAction | undefined
  /** The earliest local date, such as `2026-01-31`. An empty text matches all entries. */
  readonly since: string
}

/** The state of a search: the entries found so far, and the position of the next page. */
export interface AuditSearch {
  readonly entries: readonly AuditEntry[]
  /** Absent at the end of the log. */
  readonly cursor?: string | undefined
  /** Time of the oldest entry that was read. */
  readonly searchedBackTo?: string | undefined
}

/** Number of entries per request of a filtered search. The page filters, because the service cannot. */
const PAGE = 250
/** Maximum requests of one search. The rate limit allows 300 requests in five minutes. */
const MAX_PAGES = 4
const ENOUGH = 50

/** Continues a search until 50 more entries match, or until 1,000 entries are read. */
export async function searchAudit(
  read: (options: { limit: number; cursor?: string }) => Promise<AuditPage>,
  filter: AuditFilter,
  before: AuditSearch = { entries: [] },
): Promise<AuditSearch> {
  const since = filter.since === '' ? '' : new Date(`${filter.since}T00:00:00`).toISOString()
  const isUnfiltered = filter.text === '' && filter.action === undefined && since === ''
  const found = [...before.entries]
  let { cursor, searchedBackTo } = before
  for (let page = 0; page < MAX_PAGES && found.length - before.entries.length < ENOUGH; page += 1) {
    const limit = isUnfiltered ? ENOUGH : PAGE
    const { entries, nextCursor } = await read({ limit, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...entries.filter((entry) => entry.at >= since && matches(entry, filter)))
    searchedBackTo = entries.at(-1)?.at ?? searchedBackTo
    cursor = (searchedBackTo ?? '') < since ? undefined : nextCursor
    if (cursor === undefined) break
  }
  return { entries: found, cursor, searchedBackTo }
}

function matches({ actor, action, subject = '', address, requestId }: AuditEntry, filter: AuditFilter): boolean {
  if (filter.action !== undefined && action !== filter.action) return false
  const wanted = filter.text.trim().toLowerCase()
  return wanted === '' || [actor, subject, address, requestId].some((text) => text.toLowerCase().includes(wanted))
}
