import { HEADERS, type Kind, userNameKey } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet } from '@fish-crab/sdk/fernet'
import { type Fault, faultLabel } from '../faults/fault.ts'
import type { Lane, Outcome } from '../world/outcome.ts'
import type { RequestTarget } from '../world/request-target.ts'
import type { Service } from '../world/service.ts'
import type { JournalEntry, SentPayload } from './entry.ts'
import { limitDecision } from './limit-decision.ts'
import { readBounded, readPayload } from './payload.ts'
import { createRedactor } from './redact.ts'

/** Adds to the entry of a request what came of it. */
type NoteOutcome = (outcome: Outcome) => Promise<void>

/** Every request of a world, in the order in which they came. */
export interface Journal {
  readonly entries: readonly JournalEntry[]
  /** Notes a request before it is answered. */
  begin(request: Request, target: RequestTarget, lane: Lane, fault: Fault | undefined): NoteOutcome
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** Requests that are kept. The oldest tenth goes when there are more. */
const CAPACITY = 200_000

/** The kind of catches that a route takes. */
const WRITES: Readonly<Record<string, Kind>> = { postFish: 'fish', postCrab: 'crab' }

/** Makes an empty journal. */
export function createJournal(
  { users, addressOf, learnName }: Service,
  secrets: readonly string[],
  now: () => number,
): Journal {
  const entries: JournalEntry[] = []
  const fernets = new Map<string, Fernet>()
  const redact = createRedactor(secrets)

  function fernetOf(name: string | undefined): Fernet | undefined {
    const key = userNameKey(name ?? '')
    const user = users.get(key)
    if (!user) return undefined
    const fernet = fernets.get(key) ?? createFernet(user.fernetKey)
    fernets.set(key, fernet)
    return fernet
  }

  async function payloadOf(copy: Request, kind: Kind, user: string | undefined): Promise<SentPayload> {
    const token = await readBounded(copy).catch(() => undefined)
    return token ? readPayload(kind, token, fernetOf(user)) : { kind: 'unread' }
  }

  return {
    entries,
    begin(request, target, lane, fault) {
      const entry: Writable<JournalEntry> = {
        lane,
        method: target.method,
        path: redact.text(target.path),
        route: target.route,
        query: redact.query(target.query),
        headers: redact.headers(request.headers),
        user: target.user === undefined ? undefined : redact.text(target.user),
        client: addressOf(request),
        at: new Date(now()),
        fault: fault && faultLabel(fault),
        status: undefined,
        requestId: undefined,
        limit: undefined,
      }
      if (entries.length >= CAPACITY) entries.splice(0, CAPACITY / 10)
      entries.push(entry)
      const kind = WRITES[target.route]
      // The service reads one of the two, the journal the other.
      const copy = kind && request.clone()
      return async ({ response }) => {
        entry.status = response.status
        entry.requestId = response.headers.get(HEADERS.requestId) ?? undefined
        entry.limit = limitDecision(response, target)
        if (kind && response.status === 201 && target.user) await learnName(target.user)
        if (!kind || !copy) return
        entry.payload = { kind: 'unread' }
        const reading = payloadOf(copy, kind, target.user).then((payload) => {
          entry.payload = payload
        })
        // What the service has not read may still be on its way over a socket, for as long as its client likes.
        if (request.bodyUsed || lane !== 'standalone') await reading
      }
    },
  }
}
