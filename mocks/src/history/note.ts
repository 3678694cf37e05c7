import { HEADERS, type Kind, ROUTES } from '@fish-crab/sdk/contract'
import { type Fault, faultLabel } from '../faults/fault.ts'
import type { Lane, Outcome } from '../mock/outcome.ts'
import { type RequestHead, type RequestTarget, requestTarget } from '../mock/request-target.ts'
import type { JournalEntry, SentPayload } from './entry.ts'
import { limitDecision } from './limit-decision.ts'
import type { Redactor } from './redact.ts'

/** What a note needs of its journal. */
export interface NoteContext {
  readonly redact: Redactor
  readonly ownerOf: (apiKey: string) => string | undefined
  readonly addressOf: (request: Request) => string
  /** Settles once the id of this user is known. */
  readonly learnName: (name: string) => Promise<void>
  readonly readPayload: (copy: Request, kind: Kind, user: string | undefined) => Promise<SentPayload>
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The kind of catches that a route takes. */
const WRITES: Readonly<Record<string, Kind>> = { postFish: 'fish', postCrab: 'crab' }

/**
 * What a journal keeps of one request. It becomes an entry when somebody asks: most tests never do, and reading headers
 * and queries would be a good part of what a short request costs.
 */
export class Note {
  readonly #context: NoteContext
  readonly #head: RequestHead
  readonly #lane: Lane
  readonly #client: string
  readonly #at: number
  readonly #copy: Request | undefined
  #target: RequestTarget | undefined
  #fault: Fault | undefined
  #answer: Pick<Response, 'status' | 'headers'> | undefined
  #payload: SentPayload | undefined
  #entry: Writable<JournalEntry> | undefined

  /** @param at unix time in milliseconds */
  constructor(request: Request, lane: Lane, at: number, context: NoteContext) {
    const { method, url, headers } = request
    this.#context = context
    this.#head = { method, url, headers }
    this.#lane = lane
    this.#client = context.addressOf(request)
    this.#at = at
    // The service reads one of the two, the journal the other.
    this.#copy = this.#kind ? request.clone() : undefined
  }

  /** What the request is about. */
  get target(): RequestTarget {
    this.#target ??= requestTarget(this.#head, this.#context.ownerOf)
    return this.#target
  }

  /** Notes what strikes the request. */
  struckBy(fault: Fault): void {
    this.#fault = fault
  }

  /** Notes what came of the request. @returns what to wait for, where something has to be read for that */
  answered({ response }: Outcome, request: Request): Promise<void> | undefined {
    const { status, headers } = response
    this.#answer = { status, headers }
    this.#fill()
    const kind = this.#kind
    return kind && this.#copy ? this.#read(kind, this.#copy, status, request) : undefined
  }

  async #read(kind: Kind, copy: Request, status: number, request: Request): Promise<void> {
    const { user } = this.target
    if (status === 201 && user) await this.#context.learnName(user)
    this.#payload = { kind: 'unread' }
    this.#fill()
    const reading = this.#context.readPayload(copy, kind, user).then((payload) => {
      this.#payload = payload
      this.#fill()
    })
    // What the service has not read may still be on its way over a socket, for as long as its client likes.
    if (request.bodyUsed || this.#lane !== 'standalone') await reading
  }

  /** The entry of the request, the same at each call: it goes on to hold what is noted later. */
  entry(): JournalEntry {
    if (this.#entry) return this.#entry
    const { redact } = this.#context
    const { method, path, route, query, user } = this.target
    const entry: Writable<JournalEntry> = {
      lane: this.#lane,
      method,
      // A path that every service has tells nothing, whatever word of it serves somebody as a password.
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
    this.#fill()
    return entry
  }

  get #kind(): Kind | undefined {
    return this.#head.method === 'POST' ? WRITES[this.target.route] : undefined
  }

  #fill(): void {
    if (!this.#entry || !this.#answer) return
    this.#entry.status = this.#answer.status
    const requestId = this.#answer.headers.get(HEADERS.requestId)
    this.#entry.requestId = requestId === null ? undefined : this.#context.redact.text(requestId)
    this.#entry.limit = limitDecision(this.#answer, this.target)
    if (this.#payload) this.#entry.payload = this.#payload
  }
}
