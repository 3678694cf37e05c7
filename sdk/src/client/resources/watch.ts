import type { Gamemode } from '../../contract/gamemodes.ts'
import { EVENT_STREAM } from '../../contract/headers.ts'
import { KINDS, type Kind } from '../../contract/kinds.ts'
import { FURTHER_ROUTES } from '../../contract/routes.ts'
import type { Crab, Fish } from '../../contract/schemas.ts'
import { ApiError } from '../../errors/api-errors.ts'
import { type OptionNames, optionIssues } from '../../errors/check-options.ts'
import { ConnectionError, InvalidResponseError, TimeoutError } from '../../errors/connection-errors.ts'
import { type FishCrabError, throwIssues } from '../../errors/fish-crab-error.ts'
import { backoffMs } from '../../internal/backoff.ts'
import { startTimer, untilAborted } from '../../internal/wait.ts'
import { notify } from '../core/hooks.ts'
import type { Settings } from '../core/options.ts'
import { CALL_OPTIONS, type CallOptions, limitIssues } from '../core/options.ts'
import type { Transport } from '../transport/response.ts'
import { TOO_MANY_STREAMS } from '../transport/retry-policy.ts'
import type { DetailedEntry } from './catch-input.ts'
import { gamemodeIssue, resolveUser, TARGET, type Target } from './target.ts'

/**
 * Options of `watch`. The limits apply to each connection. Errors that a callback throws are ignored. If the client has
 * too many streams, a new watch rejects at once with `too_many_streams`: an address has at most 10 streams, and so has
 * an API key.
 */
export interface WatchOptions<Watched extends Kind = Kind> extends CallOptions, Pick<Target, 'user'> {
  /** @default the client's `gamemode`, or all gamemodes if the client has none */
  readonly gamemode?: Gamemode | undefined
  /** @default both kinds */
  readonly kind?: Watched | undefined
  /** The `eventId` of the last known entry of a watch with the same user, gamemode and `kind`. @default only new catches */
  readonly since?: string | undefined
  /**
   * Called when the stream is open: every later catch will be yielded. Called again when the service responds after
   * `onDisconnect`.
   */
  readonly onConnect?: (() => void) | undefined
  /** Called when reconnecting fails, at most once before the next `onConnect`. The client continues to reconnect. */
  readonly onDisconnect?: ((error: FishCrabError) => void) | undefined
  /**
   * Called for each record or entry that is removed while a stream is open. The entries are no longer in the collection.
   * Removals during a reconnection are not reported: a program that shows a collection should read the collection again
   * from time to time.
   */
  readonly onRemoved?: ((removed: RemovedRecord) => void) | undefined
}

/** A removal. All entries of one write belong to one record and have the `id` of the record. */
export interface RemovedRecord {
  readonly kind: Kind
  readonly gamemode: Gamemode
  /** The `id` of the entries of the record. */
  readonly id: string
  /** The `entry` of the only entry that was removed. @default all entries of the record were removed */
  readonly entry?: number
}

interface WatchedFields<Watched extends Kind> {
  readonly kind: Watched
  readonly gamemode: Gamemode
  readonly eventId: string
}

/** A fish that `watch` yields. */
export type CaughtFish = DetailedEntry<Fish> & WatchedFields<'fish'>
/** A crab that `watch` yields. */
export type CaughtCrab = DetailedEntry<Crab> & WatchedFields<'crab'>
/** An entry that `watch` yields. To continue after this entry, call `watch` again with `since: entry.eventId`. */
export type CaughtEntry = CaughtFish | CaughtCrab

interface WatchContext {
  readonly transport: Transport
  readonly settings: Settings
}

/** Three heartbeats of the service: a connection without any byte for this time is dead. */
const SILENCE_MS = 45_000
/** Longest time until the first byte of a stream. After this time, a proxy probably buffers the stream. */
const BEGIN_MS = 10_000
/** A stream that lasts at least this long does not count as cut by a proxy. */
const STABLE_MS = 30_000
/** After this many consecutive cut streams, the client polls for a while. */
const MAX_CUTS = 3
const POLL_MS = 15_000
/** Number of polls before the client tries a stream again. */
const POLLS = 20
/** Longest event, in characters. The longest event of the service contains one entry of a write of 256 KiB. */
const MAX_EVENT_LENGTH = 1024 * 1024
const RETRY_MS = { first: 1000, last: 30_000 }
/** Wait after the service refused a stream, because the client has too many: each attempt counts as a request. */
const REFUSED_MS = 60_000

export async function* watchCatches<Watched extends Kind>(
  { transport, settings }: WatchContext,
  options: WatchOptions<Watched>,
): AsyncGenerator<Extract<CaughtEntry, { readonly kind: Watched }>, void, undefined> {
  const query = queryOf(options, settings)
  const { since, onConnect, onDisconnect, onRemoved } = options
  const { signal } = options
  const { clock, random } = settings
  let lastEventId = since
  let [hasConnected, isConnected, failures, cuts, polls] = [false, false, 0, 0, 0]

  async function open(isPoll: boolean): Promise<ReadableStream<Uint8Array> | undefined> {
    let body: ReadableStream<Uint8Array> | null = null
    await transport({
      route: FURTHER_ROUTES.events,
      query: { ...query, ...(isPoll ? { follow: 'false' } : {}) },
      headers: lastEventId === undefined ? {} : { [EVENT_STREAM.lastEventId]: lastEventId },
      options,
      onStream: (opened) => {
        body = opened
      },
    })
    return body ?? undefined
  }

  for (;;) {
    signal?.throwIfAborted()
    const isPoll = cuts >= MAX_CUTS
    const openedAt = clock.now()
    let waitMs = 0
    /** `undefined` until the first event; `true` once an event has an id. */
    let isOpen: boolean | undefined
    try {
      const body = await open(isPoll)
      for await (const { event, id, data } of readEvents(body, signal)) {
        isOpen ||= id !== undefined
        if (id !== undefined) {
          hasConnected = true
          failures = 0
          lastEventId = id
          if (!isConnected) notify(onConnect, undefined)
          isConnected = true
        }
        if (event === 'catch' && id !== undefined)
          yield { ...parseEntry(data), eventId: id } as Extract<CaughtEntry, { readonly kind: Watched }>
        else if (event === 'removed') notify(onRemoved, parseRemoved(data))
      }
      // The response had text but no event with an id: a proxy probably sent an error page.
      if (isOpen === false) throw new ConnectionError('The stream of events was cut.', {})
    } catch (error) {
      signal?.throwIfAborted()
      // A proxy may buffer even the headers of a stream.
      const isHeldBack = error instanceof TimeoutError && !isPoll
      if (!isHeldBack && !(hasConnected && canReconnect(error, isOpen))) throw error
      if (isHeldBack) cuts = MAX_CUTS
      else if (isConnected && !isOpen) {
        isConnected = false
        notify(onDisconnect, error as FishCrabError)
      }
      waitMs = backoffMs(failures, random(), RETRY_MS.first, RETRY_MS.last)
      if (error instanceof ApiError && error.code === TOO_MANY_STREAMS) waitMs += REFUSED_MS
      failures += 1
    }
    if (isPoll) {
      polls += 1
      waitMs = Math.max(waitMs, POLL_MS)
      if (polls % POLLS === 0) cuts = MAX_CUTS - 1
    } else {
      cuts = clock.now() - openedAt < STABLE_MS ? cuts + 1 : 0
      waitMs = Math.max(waitMs, backoffMs(0, random(), RETRY_MS.first, RETRY_MS.last))
    }
    await untilAborted(() => clock.sleep(waitMs, signal), signal)
  }
}

const CALLBACKS = { onConnect: 1, onDisconnect: 1, onRemoved: 1 } as const
const KNOWN: OptionNames<WatchOptions> = { ...CALL_OPTIONS, ...TARGET, kind: 1, since: 1, ...CALLBACKS }

/** @throws ValidationError */
function queryOf(options: WatchOptions, settings: Settings): Record<string, string | undefined> {
  const unknown = [...optionIssues(options, KNOWN), ...limitIssues(options)]
  const { gamemode = settings.gamemode, kind, since } = options
  const { user, issue } = resolveUser(options, settings)
  const gamemodeProblem =
    gamemode === undefined ? undefined : gamemodeIssue(gamemode, 'gamemode', settings.knownGamemodes)
  const issues = [issue, gamemodeProblem].filter((each) => each !== undefined)
  if (kind !== undefined && !KINDS.includes(kind)) {
    issues.push({ path: 'kind', message: `Must be one of ${KINDS.join(', ')}, or left out.` })
  }
  if (since !== undefined && !/^[\x21-\x7e]+$/.test(since)) {
    issues.push({ path: 'since', message: 'Must be the eventId of an entry, unchanged.' })
  }
  for (const path of Object.keys(CALLBACKS) as (keyof typeof CALLBACKS)[]) {
    if (!['undefined', 'function'].includes(typeof options[path])) issues.push({ path, message: 'Must be a function.' })
  }
  throwIssues([...unknown, ...issues])
  return { name: user, gamemode, kind }
}

/**
 * Whether to reconnect: the service is unreachable, busy or restarting, the rate limit is used up, or another server
 * responded, such as a proxy.
 */
function canReconnect(error: unknown, isOpen: boolean | undefined): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500 || error.code === 'unknown'
  return error instanceof ConnectionError || (error instanceof InvalidResponseError && !isOpen)
}

interface ServerEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/**
 * Yields the events of a stream (HTML standard, section 9.2.6). Returns when the stream ends or is silent for too long.
 */
async function* readEvents(
  body: ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  if (!body) return
  const reader = body.getReader()
  // Closes the connection. An error while closing is irrelevant.
  const cancel = () => void reader.cancel().catch(() => {})
  const decoder = new TextDecoder()
  const parse = createEventParser()
  let silenceMs = BEGIN_MS
  try {
    for (;;) {
      const timer = startTimer(silenceMs, cancel)
      const chunk = await untilAborted(() => reader.read(), signal).finally(() => clearTimeout(timer))
      if (chunk.done) return
      silenceMs = SILENCE_MS
      yield* parse(decoder.decode(chunk.value, { stream: true }))
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof InvalidResponseError) throw cause
    throw new ConnectionError('The stream of events was cut.', { cause })
  } finally {
    cancel()
  }
}

/** Returns a function that takes each part of a stream in turn and yields the events that the part completes. */
function createEventParser() {
  let line = ''
  let fields: Record<string, string> = {}
  let length = 0

  function add(part: string): void {
    line += part
    length += part.length
    if (length > MAX_EVENT_LENGTH) throw invalidEvent('An event is too long.')
  }

  return function* parse(text: string): Generator<ServerEvent, void, undefined> {
    // Only the new part is searched, so that the time is linear in the length of the stream.
    const [rest = '', ...starts] = text.split('\n')
    add(rest)
    for (const start of starts) {
      const complete = line.replace(/\r$/, '')
      line = ''
      if (complete === '') {
        yield { event: fields.event ?? '', id: fields.id, data: fields.data ?? '' }
        fields = {}
        length = 0
      } else {
        const [name = ''] = complete.split(':', 1)
        fields[name] = complete.slice(name.length + 1).replace(/^ /, '')
      }
      add(start)
    }
  }
}

const parseEntry = (data: string) =>
  parseData<Omit<CaughtFish, 'eventId'> | Omit<CaughtCrab, 'eventId'>>(data, ['name', 'id', 'caughtAt', 'gamemode'])

const parseRemoved = (data: string) => parseData<RemovedRecord>(data, ['id', 'gamemode'])

/** @throws InvalidResponseError */
function parseData<Data extends { readonly kind: Kind }>(data: string, texts: readonly string[]): Data {
  try {
    const parsed = JSON.parse(data)
    if (texts.every((field) => typeof parsed[field] === 'string') && KINDS.includes(parsed.kind)) return parsed
  } catch {
    // The error below reports the problem without the text of the event.
  }
  throw invalidEvent('An event does not match the API.')
}

function invalidEvent(message: string): InvalidResponseError {
  return new InvalidResponseError(message, { status: 200, hint: 'Check that baseUrl is right.' })
}
