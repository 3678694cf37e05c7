import { HEADERS, type Kind, ROUTES, rarityValue } from '@fish-crab/sdk/contract'
import type { RoutedRequest } from '@fish-crab/server/app'
import { HttpError, parsePayload } from '@fish-crab/server/internal'
import { type Fault, faultLabel } from '../faults/fault.ts'
import type { Transport } from '../service/outcome.ts'
import { type RequestTarget, requestTarget } from '../service/request.ts'
import type { Service } from '../service/service.ts'
import type { HistoryEntry, RateLimitDecision, WritePayload } from './entry.ts'
import type { Redactor } from './redact.ts'

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type ResponseHead = Pick<Response, 'status' | 'headers'>

const WRITES: Readonly<Record<string, Kind>> = { postFish: 'fish', postCrab: 'crab' }
const UNKNOWN_USER: readonly string[] = ['missing_name', 'user_not_found']

export type RequestRecorder = ReturnType<typeof recordRequest>

/**
 * Records a request. Entries are created on access, because most tests never read them, and creating an entry is a
 * considerable part of the cost of a short request.
 */
export function recordRequest(
  routed: RoutedRequest,
  transport: Transport,
  at: number,
  { service, redact }: { readonly service: Service; readonly redact: Redactor },
) {
  const { request } = routed
  const { headers } = request
  const client = service.addressOf(request)
  const target = requestTarget(routed, service.ownerOf)
  const { method, path, route, query, user } = target
  const kind = WRITES[route]
  let fault: Fault | undefined
  let response: ResponseHead | undefined
  let payload: WritePayload | undefined
  let entry: Writable<HistoryEntry> | undefined

  function update(): void {
    if (!entry || !response) return
    const requestId = response.headers.get(HEADERS.requestId)
    entry.status = response.status
    entry.requestId = requestId === null ? undefined : redact.text(requestId)
    entry.rateLimit = limitDecision(response, target)
    if (payload) entry.payload = payload
  }

  async function recordPayload(kind: Kind): Promise<void> {
    payload = { kind: 'unread' }
    update()
    const reading = readPayload(kind, routed).then((read) => {
      payload = { ...redact.value(read), kind: read.kind } as WritePayload
      update()
    })
    // Over a socket, do not wait for a body that the service has not read, because the body may take arbitrarily long
    // to arrive.
    if (request.bodyUsed || transport !== 'http') await reading
  }

  return {
    target,

    recordFault(applied: Fault): void {
      fault = applied
    },

    /** @returns for a write, a promise that must resolve before the response is sent */
    recordResponse({ status, headers }: ResponseHead): Promise<void> | undefined {
      response = { status, headers }
      update()
      return kind && recordPayload(kind)
    },

    /** Returns the entry of the request. Each call returns the same object, which later records update. */
    entry(): HistoryEntry {
      if (entry) return entry
      entry = {
        transport,
        method,
        // The path of a route is not redacted, even if a word of it equals a password.
        path: route !== 'unmatched' && ROUTES[route].path === path ? path : redact.text(path),
        route,
        query: redact.query(query),
        headers: redact.headers(headers),
        user: user === undefined ? undefined : redact.text(user),
        client,
        at: new Date(at),
        fault: fault && faultLabel(fault),
        status: undefined,
        requestId: undefined,
        rateLimit: undefined,
      }
      update()
      return entry
    },
  }
}

function limitDecision({ status, headers }: ResponseHead, { route, isPreflight }: RequestTarget): RateLimitDecision {
  const header = headers.get(HEADERS.rateRemaining)
  if (header !== null) {
    const remaining = Number(header)
    const resetAt = new Date(Number(headers.get(HEADERS.rateReset)) * 1000)
    return { decision: status === 429 && remaining === 0 ? 'refused' : 'counted', remaining, resetAt }
  }
  const isPublic = route === 'unmatched' || ROUTES[route].access === 'public'
  return { decision: isPublic && !isPreflight && status < 500 ? 'bypassed' : 'exempt' }
}

/** Parses the payload of a write as the service does, even if the service refused it. */
async function readPayload(kind: Kind, routed: RoutedRequest): Promise<WritePayload> {
  let content: unknown
  try {
    const message = await routed.payload()
    if (!message) return { kind: 'undecipherable', reason: 'not a token of this user' }
    content = new TextDecoder().decode(message)
  } catch (error) {
    const isUnknown = error instanceof HttpError && UNKNOWN_USER.includes(error.code)
    return isUnknown ? { kind: 'undecipherable', reason: 'unknown user' } : { kind: 'unread' }
  }
  try {
    content = JSON.parse(String(content))
    const { user, gamemode, entries } = parsePayload[kind](content)
    return {
      kind,
      ...(user === undefined ? {} : { user }),
      ...(gamemode === undefined ? {} : { gamemode }),
      entries: entries.map(({ rarity, ...rest }) => (rarity ? { ...rest, rarity: rarityValue(rarity) } : rest)),
    } as WritePayload
  } catch {
    return { kind: 'invalid', content }
  }
}
