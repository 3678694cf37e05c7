import { HEADERS, type Kind, ROUTES, rarityValue } from '@fish-crab/sdk/contract'
import { decryptToken, parsePayload, readBody, tokenText } from '@fish-crab/server/internal'
import { type Fault, faultLabel } from '../faults/fault.ts'
import type { Transport } from '../service/outcome.ts'
import { type RequestHead, type RequestTarget, requestTarget } from '../service/request.ts'
import type { Service } from '../service/service.ts'
import type { HistoryEntry, LimitDecision, SentPayload } from './entry.ts'
import type { Redactor } from './redact.ts'

interface RecorderContext {
  readonly service: Service
  readonly redact: Redactor
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type ResponseHead = Pick<Response, 'status' | 'headers'>

const WRITES: Readonly<Record<string, Kind>> = { postFish: 'fish', postCrab: 'crab' }

/**
 * Collects the entry of one request. The entry itself is created on access: most tests never read it, and parsing
 * headers and queries would be a considerable part of the cost of a short request.
 */
export class RequestRecorder {
  readonly #context: RecorderContext
  readonly #head: RequestHead
  readonly #transport: Transport
  readonly #client: string
  readonly #at: number
  readonly #copy: Request | undefined
  #target: RequestTarget | undefined
  #fault: Fault | undefined
  #response: ResponseHead | undefined
  #payload: SentPayload | undefined
  #entry: Writable<HistoryEntry> | undefined

  /** @param at unix time in milliseconds */
  constructor(request: Request, transport: Transport, at: number, context: RecorderContext) {
    const { method, url, headers } = request
    this.#context = context
    this.#head = { method, url, headers }
    this.#transport = transport
    this.#client = context.service.addressOf(request)
    this.#at = at
    // The service consumes the body of the request.
    this.#copy = this.#kind ? request.clone() : undefined
  }

  get target(): RequestTarget {
    this.#target ??= requestTarget(this.#head, this.#context.service.ownerOf)
    return this.#target
  }

  recordFault(fault: Fault): void {
    this.#fault = fault
  }

  /** @returns for a write, a promise to wait for before the response is sent */
  recordResponse({ status, headers }: ResponseHead, request: Request): Promise<void> | undefined {
    this.#response = { status, headers }
    this.#update()
    const kind = this.#kind
    return kind && this.#copy ? this.#recordPayload(kind, this.#copy, request) : undefined
  }

  async #recordPayload(kind: Kind, copy: Request, request: Request): Promise<void> {
    const { service, redact } = this.#context
    const { user } = this.target
    if (this.#response?.status === 201 && user) await service.learnName(user)
    this.#payload = { kind: 'unread' }
    this.#update()
    const reading = readPayload(service, kind, user, copy).then((payload) => {
      this.#payload = { ...redact.value(payload), kind: payload.kind } as SentPayload
      this.#update()
    })
    // A body that the service refused may take arbitrarily long to arrive over a socket.
    if (request.bodyUsed || this.#transport !== 'http') await reading
  }

  /** The entry of the request: the same object at each call, updated when more is recorded. */
  entry(): HistoryEntry {
    if (this.#entry) return this.#entry
    const { redact } = this.#context
    const { method, path, route, query, user } = this.target
    const entry: Writable<HistoryEntry> = {
      transport: this.#transport,
      method,
      // The path of a route is not redacted, even if a word of it equals a password.
      path: route !== 'unmatched' && ROUTES[route].path === path ? path : redact.text(path),
      route,
      query: redact.query(query),
      headers: redact.headers(this.#head.headers),
      user: user === undefined ? undefined : redact.text(user),
      client: this.#client,
      at: new Date(this.#at),
      fault: this.#fault && faultLabel(this.#fault),
      status: undefined,
      requestId: undefined,
      limit: undefined,
    }
    this.#entry = entry
    this.#update()
    return entry
  }

  get #kind(): Kind | undefined {
    return this.#head.method === 'POST' ? WRITES[this.target.route] : undefined
  }

  #update(): void {
    if (!this.#entry || !this.#response) return
    this.#entry.status = this.#response.status
    const requestId = this.#response.headers.get(HEADERS.requestId)
    this.#entry.requestId = requestId === null ? undefined : this.#context.redact.text(requestId)
    this.#entry.limit = limitDecision(this.#response, this.target)
    if (this.#payload) this.#entry.payload = this.#payload
  }
}

function limitDecision({ status, headers }: ResponseHead, { route, isPreflight }: RequestTarget): LimitDecision {
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
): Promise<SentPayload> {
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
    } as SentPayload
  } catch {
    return { kind: 'invalid', content }
  }
}
