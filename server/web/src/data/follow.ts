import { ApiError, type Client, ConnectionError, NotFoundError, RateLimitError, TimeoutError } from '@fish-crab/sdk'
import type { LastKnown } from './last-known.ts'
import type { Load, Loaded } from './load.ts'
import { type Caught, type Fresh, freshOf, hasCatch, type PlayerProfile, withCatches } from './profile.ts'

/** Why a collection is not up to date. Times are Unix milliseconds. */
export type Problem =
  | { readonly kind: 'limited' | 'busy'; readonly retryAt: number }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unreachable'; readonly retryAt: number }
  | { readonly kind: 'failed'; readonly retryAt: number; readonly requestId: string | undefined }

/** Whether new catches appear immediately (`open`), or why not. */
export type StreamState = 'open' | 'connecting' | 'reconnecting' | 'offline' | Refusal

/** Why a stream was refused: the browser has too many, the server has too many for this address, or the rate limit. */
export type Refusal = 'pages' | 'streams' | 'limited'

/** The state of a followed collection. */
export interface Followed {
  /** Absent until the first load. */
  readonly profile?: PlayerProfile
  /** Whether the profile lacks most of its species until the first load ends. */
  readonly isPartial?: boolean
  /** The time at which the profile was last known to be current, in Unix milliseconds. */
  readonly updatedAt?: number
  /** Whether the player does not exist. */
  readonly isUnknown?: boolean
  readonly problem?: Problem
  /** Absent if no stream is wanted or the player does not exist. */
  readonly stream?: StreamState | undefined
  /** Catches that the last update added. The first load is not an update. */
  readonly fresh: readonly Fresh[]
}

/** An event of a stream. */
export type StreamEvent =
  | { readonly type: 'caught'; readonly caught: Caught }
  /** The stream is open and delivers every catch from now on. Only a load returns earlier catches. */
  | { readonly type: 'connected' }
  /** The stream broke and could not be reopened immediately. Attempts continue until it is connected. */
  | { readonly type: 'disconnected'; readonly refusal?: Refusal | undefined }
  /** Entries of the collection were removed. */
  | { readonly type: 'removed' }
  /** The stream ended although it was not closed, for example at a limit of streams. */
  | { readonly type: 'ended'; readonly refusal?: Refusal | undefined }

/** A profile from which the server has drawn a page. */
export interface DrawnProfile {
  readonly profile: PlayerProfile
  /** Whether the profile lacks most of its species, because there are too many of them. */
  readonly isPartial: boolean
}

/** Opens a stream of catches as they are stored. @returns a function that closes the stream */
export type Listen = (onEvent: (event: StreamEvent) => void) => () => void

/**
 * The state of a browser on which polls and streams depend: whether the page is visible and the network is available.
 */
export interface PageContext {
  readonly now: () => number
  isOnline(): boolean
  isVisible(): boolean
  /** Reports changes of visibility and network. @returns a function that removes the callback */
  onChange(callback: () => void): () => void
}

/** The context of the browser that shows the page. */
export const browserContext: PageContext = {
  now: () => Date.now(),
  isOnline: () => navigator.onLine,
  isVisible: () => document.visibilityState === 'visible',
  onChange(callback) {
    const targets: readonly [EventTarget, string][] = [
      [window, 'online'],
      [window, 'offline'],
      [document, 'visibilitychange'],
    ]
    for (const [target, type] of targets) target.addEventListener(type, callback)
    return () => {
      for (const [target, type] of targets) target.removeEventListener(type, callback)
    }
  },
}

interface FollowOptions {
  readonly client: Client
  readonly load: Load
  readonly context: PageContext
  /** The profile that is shown if the first load fails. */
  readonly lastKnown?: LastKnown | undefined
  /** The profile from which the server has just drawn the page. It replaces the first load unless it is partial. */
  readonly drawn?: DrawnProfile | undefined
  /**
   * Opens a stream of new catches after the profile is loaded. If it is `undefined`, the profile is loaded only once.
   */
  readonly listen: Listen | undefined
  readonly onUpdate: (followed: Followed) => void
  /** How long the page must be visible before a stream is opened, in milliseconds. @default 10 s */
  readonly stayMs?: number
}

/** Follows a collection until it is stopped. */
export interface Following {
  /** Loads again immediately. */
  retry(): void
  stop(): void
}

/**
 * Loads a collection and keeps it current. Polls while the page is visible, and continues after outages and rate
 * limits.
 */
export function followCollection(options: FollowOptions): Following {
  const { client, load, context, lastKnown, drawn, listen, onUpdate, stayMs = STAY_MS } = options
  const stopped = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let close: (() => void) | undefined
  const empty = startOf({ ...lastKnown, fresh: [] }, listen ? stayMs : NEVER)
  let state = drawn ? afterDrawing(empty, drawn, context.now()) : empty

  function dispatch(event: FollowEvent): void {
    if (stopped.signal.aborted) return
    const before = state
    state = afterEvent(before, event, context.now())
    if (state.followed !== before.followed) onUpdate(state.followed)
    if (state.isLoading && !before.isLoading) {
      load(client, stopped.signal).then(
        (loaded) => dispatch({ type: 'loaded', loaded }),
        (error: unknown) => dispatch({ type: 'failed', error }),
      )
    }
    if (state.isStreaming !== before.isStreaming) {
      close?.()
      close = state.isStreaming ? listen?.(dispatch) : undefined
    }
    clearTimeout(timer)
    const nextAt = Math.min(state.showAt, state.openAt, loadAt(state))
    if (nextAt < NEVER) timer = setTimeout(dispatch, Math.max(0, nextAt - context.now()), { type: 'tick' })
  }

  const readPage = () => dispatch({ type: 'page', isOnline: context.isOnline(), isVisible: context.isVisible() })
  const unsubscribe = context.onChange(readPage)
  if (drawn) onUpdate(state.followed)
  readPage()

  return {
    retry: () => dispatch({ type: 'retry' }),
    stop() {
      stopped.abort()
      unsubscribe()
      clearTimeout(timer)
      close?.()
    },
  }
}

type FollowEvent =
  | StreamEvent
  | { readonly type: 'loaded'; readonly loaded: Loaded }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'page'; readonly isOnline: boolean; readonly isVisible: boolean }
  | { readonly type: 'retry' | 'tick' }

const NEVER = Number.POSITIVE_INFINITY
/** A poll is one request, so polls take 5 of the 25 requests that a client has in 300 s. */
const POLL_MS = 60_000
/** Interval of polls while a stream is open, since a stream can miss catches. */
const POLL_BESIDE_STREAM_MS = 300_000
/** Delay before a stream is opened. A stream costs a request and a connection, which a short visit is not worth. */
const STAY_MS = 10_000
/** Delay before streamed catches are shown, so that the catches of one POST (up to 500) appear together. */
const GATHER_MS = 250
const RELOAD_MS = 5000
/** Number of requests that polls leave for other pages and programs at the same client address. */
const RESERVE = 8
const FIRST_RETRY_MS = 2000
const LAST_RETRY_MS = 60_000

type FollowState = Readonly<ReturnType<typeof startOf>>

/** Times are Unix milliseconds. A step at an infinite time never happens. */
const startOf = (followed: Followed, streamDelayMs: number) => ({
  followed: { ...followed, stream: streamDelayMs === NEVER ? undefined : 'connecting' } as Followed,
  isOnline: true,
  isVisible: true,
  /** Infinite if no stream is wanted. */
  streamDelayMs,
  /** Whether a stream is open, or attempts to open it continue. */
  isStreaming: false,
  isConnected: false,
  /** Why the last stream broke or was refused. */
  obstacle: undefined as 'reconnecting' | Refusal | undefined,
  /** When the stream is opened. */
  openAt: NEVER,
  isLoading: false,
  /** When the next load is due. */
  dueAt: 0,
  /** The earliest time at which the rate limit allows another load. */
  earliestAt: 0,
  failures: 0,
  /** The last load, without the catches that the stream has added to the shown collection. */
  loaded: undefined as PlayerProfile | undefined,
  /** Streamed catches that are not shown yet. */
  gathered: [] as readonly Caught[],
  /** When the gathered catches are shown. */
  showAt: NEVER,
  /** Catches that the running load may or may not contain. */
  sinceLoadBegan: [] as readonly Caught[],
  /** Whether the stream delivered something since the last load began. */
  isOvertaken: false,
})

/** Returns the state after an event, with the steps taken that are due. */
function afterEvent(before: FollowState, event: FollowEvent, now: number): FollowState {
  let state = reduce(before, event, now)
  if (state.showAt <= now) state = showGathered(state, now)
  if (state.openAt <= now) state = { ...state, isStreaming: true, openAt: NEVER }
  const stream = streamStateOf(state)
  if (stream !== state.followed.stream) state = { ...state, followed: { ...state.followed, stream } }
  if (loadAt(state) > now) return state
  const { gathered } = state
  return { ...state, isLoading: true, sinceLoadBegan: gathered, isOvertaken: gathered.length > 0 }
}

function streamStateOf(state: FollowState): StreamState | undefined {
  const { followed, isOnline, isConnected, obstacle, streamDelayMs } = state
  const { problem, isUnknown } = followed
  if (isUnknown || streamDelayMs === NEVER) return undefined
  if (!isOnline || problem?.kind === 'offline') return 'offline'
  if (problem) return problem.kind === 'limited' ? 'limited' : 'reconnecting'
  return isConnected ? 'open' : (obstacle ?? 'connecting')
}

/** After the first load, hidden pages do not poll, because their timers run late and drain the battery. */
function loadAt({ isLoading, isOnline, isVisible, loaded, followed, dueAt }: FollowState): number {
  return !isLoading && isOnline && (isVisible || !(loaded || followed.isUnknown)) ? dueAt : NEVER
}

function reduce(state: FollowState, event: FollowEvent, now: number): FollowState {
  switch (event.type) {
    case 'loaded':
      return planStream(afterLoad(state, event.loaded, now), now)
    case 'failed':
      return planStream(afterFailure(state, event.error, now), now)
    case 'caught':
      return gather(state, event.caught, now)
    case 'connected':
      return loadBy({ ...state, isConnected: true, obstacle: undefined, isOvertaken: true }, now + RELOAD_MS)
    case 'removed':
      return loadBy({ ...state, isOvertaken: true }, now + RELOAD_MS)
    case 'disconnected':
      // Load immediately, so that the page shows the problem instead of a collection that seems current.
      return loadBy({ ...state, isConnected: false, obstacle: event.refusal ?? 'reconnecting' }, now)
    case 'ended': {
      // The stream is opened again after the next load.
      const ended = { isStreaming: false, isConnected: false, obstacle: event.refusal ?? 'reconnecting' } as const
      return loadBy({ ...state, ...ended }, now + POLL_MS)
    }
    case 'retry':
      return { ...state, dueAt: 0 }
    case 'page': {
      const { isOnline, isVisible } = event
      const isNew = !isOnline && state.followed.problem?.kind !== 'offline'
      const offline = { dueAt: 0, followed: { ...state.followed, problem: { kind: 'offline' } } } as const
      return planStream({ ...state, isOnline, isVisible, ...(isNew ? offline : {}) }, now)
    }
    default:
      return state
  }
}

/** Moves the next load to a time, unless an earlier load is due or the rate limit forbids it. */
function loadBy(state: FollowState, at: number): FollowState {
  return { ...state, dueAt: Math.min(state.dueAt, Math.max(at, state.earliestAt)) }
}

function afterDrawing(state: FollowState, { profile, isPartial }: DrawnProfile, now: number): FollowState {
  return isPartial
    ? { ...state, followed: { profile, isPartial, fresh: [] } }
    : afterLoad(state, { profile, rateLimit: undefined }, now)
}

function afterLoad(state: FollowState, { profile: loaded, rateLimit }: Loaded, now: number): FollowState {
  const { followed, sinceLoadBegan, isOvertaken, isStreaming, streamDelayMs } = state
  // If few requests remain, do not poll until the window ends, so that clicks still work.
  const isScarce = rateLimit !== undefined && rateLimit.remaining < RESERVE
  const earliestAt = isScarce ? rateLimit.resetAt.getTime() : 0
  // The response may or may not contain the catches that arrived during the load, so load again soon.
  const waitMs = isOvertaken ? RELOAD_MS : isStreaming ? POLL_BESIDE_STREAM_MS : POLL_MS
  const missing = sinceLoadBegan.filter((caught) => !hasCatch(loaded, caught))
  const profile = withCatches(loaded, missing)
  return {
    ...state,
    followed: {
      profile,
      updatedAt: now,
      fresh: state.loaded && followed.profile ? freshOf(followed.profile, profile) : [],
    },
    isLoading: false,
    dueAt: streamDelayMs === NEVER ? NEVER : Math.max(now + waitMs, earliestAt),
    earliestAt,
    failures: 0,
    loaded,
    gathered: [],
    showAt: NEVER,
  }
}

function afterFailure(state: FollowState, error: unknown, now: number): FollowState {
  const next = { ...state, isLoading: false, failures: state.failures + 1 }
  if (error instanceof NotFoundError && error.code === 'user_not_found') {
    // Continue to poll, because an overlay may be set up before the player exists.
    return { ...next, dueAt: now + POLL_MS, followed: { isUnknown: true, fresh: [] } }
  }
  const retryAt = now + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** state.failures)
  const problem = problemOf(error, state.isOnline, retryAt)
  const dueAt = problem.kind === 'offline' ? 0 : problem.retryAt
  // A rate limit stops polls, but an open stream still delivers every catch.
  if (problem.kind === 'limited' && state.followed.stream === 'open') return { ...next, dueAt, earliestAt: dueAt }
  return { ...next, dueAt, followed: { ...state.followed, problem } }
}

/** Describes why a request failed. @param retryAt the time of the next attempt, in Unix milliseconds */
export function problemOf(error: unknown, isOnline: boolean, retryAt: number): Problem {
  if (error instanceof RateLimitError) return { kind: 'limited', retryAt: error.resetAt.getTime() }
  if (!isOnline) return { kind: 'offline' }
  if (error instanceof ConnectionError || error instanceof TimeoutError || isOfProxy(error)) {
    return { kind: 'unreachable', retryAt }
  }
  if (error instanceof ApiError && error.code === 'unavailable') return { kind: 'busy', retryAt }
  return { kind: 'failed', retryAt, requestId: error instanceof ApiError ? error.requestId : undefined }
}

/** Whether a proxy responded because the server behind it does not, as during a restart. */
function isOfProxy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unknown' && [502, 503, 504].includes(error.status)
}

/** Hidden pages have no stream, because all pages of a browser share six connections to a server. */
function planStream(state: FollowState, now: number): FollowState {
  const { followed, isOnline, isVisible, isStreaming, streamDelayMs } = state
  if (isOnline && isVisible) {
    return { ...state, openAt: isStreaming || !followed.profile ? NEVER : now + streamDelayMs }
  }
  const closed = { ...state, isStreaming: false, isConnected: false, openAt: NEVER }
  // Load again when the page is visible, because catches that are stored while the stream is closed are missed.
  return isStreaming && !followed.problem ? loadBy(closed, (followed.updatedAt ?? 0) + RELOAD_MS) : closed
}

/**
 * Adds a streamed catch if it is missing from the last load. Only times can be compared, because a summary has no
 * record ids, and a resumed stream repeats catches that a load has already returned. A streamed catch that is later
 * than the last loaded catch of its species cannot be part of the load. An earlier catch is assumed to be part of the
 * load; if it was only sent late, the next load shows it.
 */
function gather(state: FollowState, caught: Caught, now: number): FollowState {
  const { loaded, gathered, isLoading, sinceLoadBegan } = state
  const next = { ...state, isOvertaken: true, sinceLoadBegan: isLoading ? [...sinceLoadBegan, caught] : [] }
  if (loaded && hasCatch(loaded, caught)) return loadBy(next, now + RELOAD_MS)
  return { ...next, gathered: [...gathered, caught], showAt: Math.min(state.showAt, now + GATHER_MS) }
}

function showGathered(state: FollowState, now: number): FollowState {
  const { followed, gathered } = state
  const { profile: before } = followed
  const next = { ...state, gathered: [], showAt: NEVER }
  if (!before) return next
  const profile = withCatches(before, gathered)
  return { ...next, followed: { ...followed, profile, updatedAt: now, fresh: freshOf(before, profile) } }
}
