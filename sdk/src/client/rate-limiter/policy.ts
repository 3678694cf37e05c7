import { LIMITS } from '../../contract/limits.ts'

/** A rate-limit window of the server, as known from responses. */
interface Window {
  readonly limit: number
  /** The lowest number of remaining requests that any response reported for this window. */
  readonly remaining: number
  /** End of the window by the server's clock, in milliseconds. This time identifies the window. */
  readonly resetMs: number
  /** End of the window by the limiter's clock, in milliseconds; never too early. */
  readonly endsAt: number
  /** Number of the latest permit whose response reported this window. */
  readonly reportedBy: number
  /**
   * Attempts of this limiter in the window: responses, and lost attempts that the server may have counted. Other
   * clients made all other requests of the window.
   */
  readonly ours: number
  /**
   * Whether this limiter made all requests of the previous window, and its requests explain all counts of this window.
   */
  readonly isAlone: boolean
}

/** The immutable state of a limiter. */
export interface LimiterState {
  /**
   * `unknown`: a request has to probe the limit; `counted`: `window` applies; `unlimited`: the server does not count
   * requests.
   */
  readonly phase: 'unknown' | 'counted' | 'unlimited'
  /** The latest window, even after its end. */
  readonly window: Window | undefined
  /** Approximate length of a window in milliseconds; 0 while the length is unknown. */
  readonly windowMs: number
  /** End of the pause after a refusal, by the limiter's clock, in milliseconds. */
  readonly pausedUntil: number
  /** Consecutive pauses without a success in between. */
  readonly refusals: number
  /** Increases whenever the state becomes unknown. Permits of earlier epochs no longer count as in flight. */
  readonly epoch: number
  /** Number of the latest permit. */
  readonly issued: number
  /** Permits of this epoch without a response. */
  readonly inFlight: number
  /** Lost attempts that the server may have counted. Each number is the latest permit at the time of the loss. */
  readonly uncertain: readonly number[]
  /** Number of consecutive attempts without a report of the window. */
  readonly unreported: number
}

/** The permission to send one request. */
export interface Permit {
  readonly number: number
  readonly epoch: number
}

export interface LimiterRules {
  /** Whether to wait before the server would reject a request. */
  readonly pace: boolean
  /** Number of requests that may be in flight while the state is unknown. */
  readonly probes: number
}

/** The parts of a response that matter to the limiter. */
export interface ObservedResponse {
  readonly status: number
  /** `true` if the service itself responded, `false` if a proxy may have responded. */
  readonly isService: boolean
  /** The window that the response reports. */
  readonly window?:
    | { readonly limit: number; readonly remaining: number; readonly resetMs: number; readonly waitMs: number }
    | undefined
  /** Milliseconds to wait after a refusal. */
  readonly retryMs?: number | undefined
}

/**
 * A permit, or a wait of `waitMs` milliseconds. If `waitMs` is `undefined`, the request waits for the response to
 * another request.
 */
type Decision =
  | { readonly state: LimiterState; readonly permit: Permit }
  | { readonly state: LimiterState; readonly permit?: undefined; readonly waitMs: number | undefined }

export const INITIAL_STATE: LimiterState = {
  phase: 'unknown',
  window: undefined,
  windowMs: 0,
  pausedUntil: 0,
  refusals: 0,
  epoch: 0,
  issued: 0,
  inFlight: 0,
  uncertain: [],
  unreported: 0,
}

/*
 * Decides when a request may be sent, so that the server never has to reject requests. These functions are pure:
 * rate-limiter.ts has the state, the queue and the timer.
 *
 * The server opens a window with a client's first request, and every response reports how many requests remain and when
 * the window ends. While the state is unknown, one request probes the window. After that, at most half of the remaining
 * requests may be in flight. The more requests other clients have used, the smaller this share: the limiter must notice
 * other clients before it has sent all remaining requests. A limiter that made all requests of the previous window sends
 * all remaining requests except one. The last request waits until all responses show that no other client has started.
 * The server may have counted an attempt without a response. The limiter therefore counts such an attempt until the
 * response to a later request reports the remaining requests. A refusal pauses all requests.
 */

const MAX_JITTER_MS = 250
// A server that responds with 429 and "retry now" must not cause a tight loop.
const MIN_PAUSE_MS = 1000
const MAX_BACKOFF_MS = 30_000
// After this many consecutive losses, the server probably never received the lost requests.
const LOSSES_OF_OUTAGE = 5
// Bounds memory use in a long outage. Counting more lost attempts than a window's limit changes nothing.
const MAX_UNCERTAIN = 1000
// A response may report a wrong, much later end of the window. Without a refusal, a request therefore probes again
// after this time.
const MAX_WINDOW_MS = 2 * LIMITS.windowSeconds * 1000
// The ends of two windows with another window in between are at least two window lengths apart.
const MAX_WINDOW_GAP = 1.5

export function decide(before: LimiterState, rules: LimiterRules, now: number): Decision {
  const state = now >= pauseEnd(before) ? afterWait(before) : before
  const wait = waitFor(state, rules, now)
  if (wait !== 'none') return { state, waitMs: wait }
  const issued = state.issued + 1
  const permit = { number: issued, epoch: state.epoch }
  return { state: { ...state, issued, inFlight: state.inFlight + 1 }, permit }
}

/** End of the current wait, by the limiter's clock. */
function pauseEnd({ phase, window, pausedUntil }: LimiterState): number {
  return Math.max(pausedUntil, phase === 'counted' && window ? window.endsAt : 0)
}

function waitFor(state: LimiterState, { pace, probes }: LimiterRules, now: number): number | 'none' | undefined {
  const { phase, window, pausedUntil, inFlight, unreported } = state
  if (now < pausedUntil) return pausedUntil - now
  if (phase === 'unlimited' || !pace) return 'none'
  // The rate limit does not cause lost requests, so the number of concurrent probes grows with each loss.
  const maxProbes = Math.min(probes * 2 ** unreported, LIMITS.requests)
  if (phase === 'unknown' || !window) return inFlight < Math.max(maxProbes, probes) ? 'none' : undefined
  if (unusedRequests(state, window) > 0) return inFlight < maxInFlight(window) ? 'none' : undefined
  if (unreported >= LOSSES_OF_OUTAGE && inFlight < Math.min(maxProbes, window.remaining)) return 'none'
  return inFlight > 0 && window.remaining > 0 ? undefined : window.endsAt - now
}

/** Returns how many requests of the window can still be sent. */
function unusedRequests({ inFlight, uncertain }: LimiterState, { limit, remaining, ours, isAlone }: Window): number {
  return Math.max(remaining - uncertain.length, isAlone ? limit - ours : 0) - inFlight
}

/**
 * Returns all remaining requests except one if this client is alone, or half of the remaining requests. If other
 * clients use the window too, returns a third of this client's share, but at most the number of its earlier requests.
 */
function maxInFlight(window: Window): number {
  const { limit, remaining, ours, isAlone } = window
  if (isAlone) return Math.max(limit - ours - 1, 1)
  const others = othersIn(window)
  if (others === 0) return Math.ceil(remaining / 2)
  return Math.max(Math.min(Math.floor((remaining / 3) * (ours / (ours + others))), ours), 1)
}

/** Returns the requests of other clients, including this limiter's requests in flight that are counted already. */
function othersIn({ limit, remaining, ours }: Window): number {
  return Math.max(limit - remaining - ours, 0)
}

/** Returns the state after a wait, in which a request has to probe the limit again. */
export function afterWait(state: LimiterState): LimiterState {
  if (state.phase !== 'counted' && state.pausedUntil === 0) return state
  const phase = state.phase === 'unlimited' ? 'unlimited' : 'unknown'
  return { ...state, phase, pausedUntil: 0, epoch: state.epoch + 1, inFlight: 0, uncertain: [], unreported: 0 }
}

/**
 * @param random A number from 0 up to 1, for jitter: processes that wait for the same time must not send in the same
 * moment.
 */
export function afterResponse(
  before: LimiterState,
  permit: Permit,
  response: ObservedResponse,
  now: number,
  random: number,
): LimiterState {
  const state = afterUnsent(before, permit)
  if (isRefusal(response)) return afterRefusal(state, response, now, random)
  if (response.window)
    return afterWindow({ ...state, unreported: 0, refusals: 0 }, permit, response.window, now, random)
  // A proxy may have responded. Requests are uncounted only if the service itself reports no window.
  if (!response.isService || response.status >= 500) return countUncertain(state, permit)
  return { ...state, phase: 'unlimited', unreported: 0, refusals: 0 }
}

/**
 * Returns whether the response is a rejection by this limit. A 429 that reports remaining requests comes from a
 * different limit.
 */
export function isRefusal({ status, window }: ObservedResponse): boolean {
  return status === 429 && (window === undefined || window.remaining === 0)
}

function afterRefusal(
  state: LimiterState,
  { retryMs, window }: ObservedResponse,
  now: number,
  random: number,
): LimiterState {
  // Rejections of requests that were in flight together count as one refusal.
  const refusals = now < state.pausedUntil ? state.refusals : state.refusals + 1
  const backoff = Math.min(MIN_PAUSE_MS * 2 ** (refusals - 1), MAX_BACKOFF_MS)
  const wait = Math.max(retryMs ?? window?.waitMs ?? backoff, MIN_PAUSE_MS)
  const pausedUntil = Math.max(state.pausedUntil, now + wait + random * MAX_JITTER_MS)
  const known = window && { ...window, endsAt: pausedUntil, reportedBy: state.issued, ours: 0, isAlone: false }
  return { ...state, refusals, pausedUntil, window: known ?? state.window }
}

function afterWindow(
  state: LimiterState,
  permit: Permit,
  observed: NonNullable<ObservedResponse['window']>,
  now: number,
  random: number,
): LimiterState {
  const known = state.window
  const isSame = state.phase === 'counted' && known?.resetMs === observed.resetMs
  // Responses can arrive out of order. The response to a later request is more recent, and so is a response that
  // reports a later window.
  const isLate = known !== undefined && permit.number < known.reportedBy && observed.resetMs <= known.resetMs
  if (isLate && !isSame) return state
  const waitMs = Math.min(observed.waitMs, MAX_WINDOW_MS) + random * MAX_JITTER_MS
  // Drop the lost attempts from before this request: the reported window already counts those attempts.
  const uncertain = state.uncertain.filter((latest) => latest >= permit.number)
  const fresh = {
    ...observed,
    endsAt: now + waitMs,
    reportedBy: permit.number,
    ours: 1 + uncertain.length,
    isAlone: isSame ? known.isAlone : followsOwn(state, observed.resetMs),
  }
  const window = isSame ? merged(known, fresh) : fresh
  // Requests in flight may be counted already, because responses can arrive out of order.
  const isExplained = othersIn(window) <= state.inFlight
  return {
    ...state,
    phase: 'counted',
    window: { ...window, isAlone: window.isAlone && isExplained },
    windowMs: isSame ? Math.max(state.windowMs, waitMs) : waitMs,
    uncertain,
  }
}

function merged(known: Window, observed: Window): Window {
  return {
    ...observed,
    remaining: Math.min(known.remaining, observed.remaining),
    endsAt: Math.min(known.endsAt, observed.endsAt),
    reportedBy: Math.max(known.reportedBy, observed.reportedBy),
    ours: known.ours + 1,
  }
}

/** Whether this limiter made all requests of the last known window, and no other window was between the two. */
function followsOwn({ window, windowMs }: LimiterState, resetMs: number): boolean {
  return window !== undefined && window.ours >= window.limit && resetMs - window.resetMs < MAX_WINDOW_GAP * windowMs
}

/** Returns the state after an attempt without a response. The server may have counted the attempt. */
export function afterLoss(before: LimiterState, permit: Permit): LimiterState {
  return countUncertain(afterUnsent(before, permit), permit)
}

/** Returns the state after the release of a permit whose request was not sent. */
export function afterUnsent(state: LimiterState, permit: Permit): LimiterState {
  return permit.epoch === state.epoch ? { ...state, inFlight: state.inFlight - 1 } : state
}

function countUncertain(state: LimiterState, permit: Permit): LimiterState {
  if (permit.epoch !== state.epoch) return state
  const unreported = state.unreported + 1
  const uncertain = [...state.uncertain, state.issued].slice(-MAX_UNCERTAIN)
  const counted = state.phase === 'counted' ? state.window : undefined
  return { ...state, unreported, uncertain, window: counted ? { ...counted, ours: counted.ours + 1 } : state.window }
}

/**
 * Returns the expected wait in milliseconds with `ahead` requests earlier in the queue; without a known window, only
 * the pause after a refusal counts.
 */
export function expectedWaitMs(state: LimiterState, { pace }: LimiterRules, ahead: number, now: number): number {
  const { phase, window, windowMs, pausedUntil } = state
  const pausedMs = Math.max(pausedUntil - now, 0)
  if (!pace || phase !== 'counted' || !window) return pausedMs
  const beyond = ahead - (pausedMs > 0 ? 0 : Math.max(unusedRequests(state, window), 0))
  if (beyond < 0) return pausedMs
  const untilEnd = Math.max(window.endsAt - now, pausedMs, 0)
  return untilEnd + Math.floor(beyond / Math.max(window.limit, 1)) * windowMs
}
