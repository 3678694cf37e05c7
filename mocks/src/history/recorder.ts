import { HEADERS, type Kind, ROUTES, rarityValue } from '@fish-crab/sdk/contract'
import { decryptToken, parsePayload, readBody, tokenText } from '@fish-crab/server/internal'
import { type Fault, faultLabel } from '../faults/fault.ts'
import type { Transport } from '../service/outcome.ts'
import { type RequestTarget, requestTarget } from '../service/request.ts'
import type { Service } from '../service/service.ts'
import type { HistoryEntry, RateLimitDecision, WritePayload } from './entry.ts'
import type { Redactor } from './redact.ts'

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type ResponseHead = Pick<Response, 'status' | 'headers'>

const WRITES: Readonly<Record<string, Kind>> = { postFish: 'fish', postCrab: 'crab' }

export type RequestRecorder = ReturnType<typeof recordRequest>

/**
 * Records a request. Entries are created on access, because most tests never read them, and creating an entry is a
 * considerable part of the cost of a short request.
 */
export function recordRequest(
  request: Request,
  transport: Transport,
  at: number,
  { service, redact }: { readonly service: Service; readonly redact: Redactor },
) {
  const { method, url, headers } = request
  const client = service.addressOf(request)
  let target: RequestTarget | undefined
  let fault: Fault | undefined
  let response: ResponseHead | undefined
  let payload: WritePayload | undefined
  let entry: Writable<HistoryEntry> | undefined

  function targetOf(): RequestTarget {
    target ??= requestTarget({ method, url, headers }, service.ownerOf)
    return target
  }

  const kind = method === 'POST' ? WRITES[targetOf().route] : undefined
  // Clone the request, because the service consumes its body.
  const copy = kind && request.clone()

  function update(): void {
    if (!entry || !response) return
    const requestId = response.headers.get(HEADERS.requestId)
    entry.status = response.status
    entry.requestId = requestId === null ? undefined : redact.text(requestId)
    entry.rateLimit = limitDecision(response, targetOf())
    if (payload) entry.payload = payload
  }

  async function recordPayload(kind: Kind, copy: Request): Promise<void> {
    const { user } = targetOf()
    payload = { kind: 'unread' }
    update()
    const reading = readPayload(service, kind, user, copy).then((read) => {
      payload = { ...redact.value(read), kind: read.kind } as WritePayload
      update()
    })
    // Over a socket, do not wait for a body that the service has not read, because the body may take arbitrarily long
    // to arrive.
    if (request.bodyUsed || transport !== 'http') await reading
  }

  return {
    target: targetOf,

    recordFault(applied: Fault): void {
      fault = applied
    },

    /** @returns for a write, a promise that must resolve before the response is sent */
    recordResponse({ status, headers }: ResponseHead): Promise<void> | undefined {
      response = { status, headers }
      update()
      return kind && copy ? recordPayload(kind, copy) : undefined
    },

    /** Returns the entry of the request. Each call returns the same object, which later records update. */
    entry(): HistoryEntry {
      if (entry) return entry
      const { path, route, query, user } = targetOf()
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

/** Decrypts and parses the body of a write as the service does, even if the service refused it. */
async function readPayload(
  { app: { users } }: Service,
  kind: Kind,
  userName: string | undefined,
  request: Request,
): Promise<WritePayload> {
  const body = await readBody(request).catch(() => undefined)
  if (!body) return { kind: 'unread' }
  const owner = userName === undefined ? undefined : await users.find(userName)
  if (!owner) return { kind: 'undecipherable', reason: 'unknown user' }
  const token = await decryptToken(await users.fernet(owner), tokenText(body))
  if (!token) return { kind: 'undecipherable', reason: 'not a token of this user' }
  const text = new TextDecoder().decode(token.message)
  let content: unknown = text
  try {
    content = JSON.parse(text)
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
