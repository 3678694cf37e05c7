import { LIMITS } from '../../contract/limits.ts'

/** One window of the server, as far as answers observed of it. */
interface Window {
  readonly limit: number
  /** The least that any answer observed. */
  readonly remaining: number
  /** When it ends by the server's clock, in milliseconds; it names the window. */
  readonly resetMs: number
  /** When it ends by the gate's clock, in milliseconds; never earlier than it does. */
  readonly endsAt: number
  /** The latest permit whose answer observed of it. */
  readonly reportedBy: number
  /** Own requests that were answered in it. What else was used, others did. */
  readonly responses: number
}

/** What is known. Replaced, never changed. */
export interface LimiterState {
  /** `unknown`: a request has to find out; `counted`: the window below holds; `unlimited`: requests are not counted. */
  readonly phase: 'unknown' | 'counted' | 'unlimited'
  /** The latest window, also when it is over. */
  readonly window: Window | undefined
  /** How long windows are, about, in milliseconds; 0 while that is not known. */
  readonly windowMs: number
  /** The server refused: until when nothing goes, by the gate's clock, in milliseconds. */
  readonly pausedUntil: number
  /** Times the gate was closed by a refusal without a success in between. */
  readonly refusals: number
  /** Counts the times of not knowing. Tickets of an earlier one no longer count as under way. */
  readonly epoch: number
  /** Number of the latest permit. */
  readonly issued: number
  /** Tickets of this epoch without an answer. */
  readonly inFlight: number
  /** Tries of this window that the server may or may not have counted. */
  readonly uncertain: number
  /** The latest permit when the last of those ended. */
  readonly uncertainSince: number
  /** Tries in a row that observed nothing. */
  readonly unreported: number
}

/** The permission to send one request. */
export interface Permit {
  readonly number: number
  readonly epoch: number
}

/** How a gate decides. */
export interface LimiterRules {
  /** Whether to hold requests back before the server refuses one. */
  readonly pace: boolean
  /** Requests at once while nothing is known. */
  readonly probes: number
}

/** What an answer tells the gate. */
export interface ObservedResponse {
  readonly status: number
  /** Whether the service itself answered, not something in between. */
  readonly isService: boolean
  /** The window it tells of, if it does. */
  readonly window?:
    | { readonly limit: number; readonly remaining: number; readonly resetMs: number; readonly waitMs: number }
    | undefined
  /** Milliseconds after which a refused request may be sent again, where it says. */
  readonly retryMs?: number | undefined
}

/** A request may go, or has to wait: `waitMs` milliseconds, or until another one is answered. */
type Decision =
  | { readonly state: LimiterState; readonly permit: Permit }
  | { readonly state: LimiterState; readonly permit?: undefined; readonly waitMs: number | undefined }

/** Nothing is known. */
export const INITIAL_STATE: LimiterState = {
  phase: 'unknown',
  window: undefined,
  windowMs: 0,
  pausedUntil: 0,
  refusals: 0,
  epoch: 0,
  issued: 0,
  inFlight: 0,
  uncertain: 0,
  uncertainSince: 0,
  unreported: 0,
}

/*
 * When a request may go, so that the server never has to refuse one. Pure: the gate around it (gate.ts) holds the
 * state, the queue and the timer.
 *
 * The server opens a window with a client's first request, and tells with every answer how many requests remain and
 * when the window ends. While nothing is known, one request goes ahead and finds out. Then half of what remains may be
 * under way at once, and less the more of the window others have used: so they are noticed before the rest is sent. A
 * try without an answer may have been counted or not; until an answer tells, its place is left free. A refusal closes
 * the gate for all, whatever else is known.
 */

const MAX_JITTER_MS = 250
// A server that says "now" together with 429 must not be asked in a tight loop.
const MIN_PAUSE_MS = 1000
const MAX_BACKOFF_MS = 30_000
// Without a refusal nothing is believed to last longer: after that, a request finds out.
const MAX_WINDOW_MS = 2 * LIMITS.windowSeconds * 1000

/** Lets the next request go, or tells how long it has to wait. */
export function decide(before: LimiterState, rules: LimiterRules, now: number): Decision {
  const state = now >= untilOf(before) ? afterWait(before) : before
  const wait = waitOf(state, rules, now)
  if (wait !== 'none') return { state, waitMs: wait }
  const issued = state.issued + 1
  const permit = { number: issued, epoch: state.epoch }
  return { state: { ...state, issued, inFlight: state.inFlight + 1 }, permit }
}

/** When what holds requests back is over, by the gate's clock. */
function untilOf({ phase, window, pausedUntil }: LimiterState): number {
  return Math.max(pausedUntil, phase === 'counted' && window ? window.endsAt : 0)
}

function waitOf(state: LimiterState, { pace, probes }: LimiterRules, now: number): number | 'none' | undefined {
  const { phase, window, pausedUntil, inFlight } = state
  if (now < pausedUntil) return pausedUntil - now
  if (phase === 'unlimited' || !pace) return 'none'
  // Where requests vanish, the limit is not what is wrong: then more and more may find out at once.
  const finders = Math.min(probes * 2 ** state.unreported, LIMITS.requests)
  if (phase === 'unknown' || !window) return inFlight < Math.max(finders, probes) ? 'none' : undefined
  if (window.remaining === 0) return window.endsAt - now
  const certain = window.remaining - inFlight - state.uncertain
  if (certain > 0) return inFlight < atOnce(window, state.uncertain) ? 'none' : undefined
  return inFlight < Math.min(finders, window.remaining) ? 'none' : undefined
}

/** Half of what remains; where others use the window too, a third of the share that was used here. */
function atOnce({ limit, remaining, responses }: Window, uncertain: number): number {
  const here = responses + uncertain
  const others = Math.max(limit - remaining - here, 0)
  if (others === 0) return Math.ceil(remaining / 2)
  return Math.max(Math.floor((remaining / 3) * (here / (here + others))), 1)
}

/** What held requests back is over: what remains, a request has to find out. */
export function afterWait(state: LimiterState): LimiterState {
  if (state.phase !== 'counted' && state.pausedUntil === 0) return state
  const phase = state.phase === 'unlimited' ? 'unlimited' : 'unknown'
  return { ...state, phase, pausedUntil: 0, epoch: state.epoch + 1, inFlight: 0, uncertain: 0, unreported: 0 }
}

/** @param random A number from 0 up to 1, which spreads processes that wait for the same moment. */
export function afterResponse(
  before: LimiterState,
  permit: Permit,
  answer: ObservedResponse,
  now: number,
  random: number,
): LimiterState {
  const state = afterUnsent(before, permit)
  if (isRefusal(answer)) return afterRefusal(state, answer, now, random)
  if (answer.window) return afterWindow({ ...state, unreported: 0, refusals: 0 }, permit, answer.window, now, random)
  // What stands between here and the service answers for itself; only the service tells that it does not count.
  if (!answer.isService || answer.status >= 500) return countUncertain(state, permit)
  return { ...state, phase: 'unlimited', unreported: 0, refusals: 0 }
}

/** Whether an answer says that this budget is used up. Another limit may refuse too, while something remains of this. */
export function isRefusal({ status, window }: ObservedResponse): boolean {
  return status === 429 && (window === undefined || window.remaining === 0)
}

function afterRefusal(
  state: LimiterState,
  { retryMs, window }: ObservedResponse,
  now: number,
  random: number,
): LimiterState {
  // Many that were under way are refused together: that is one closing.
  const refusals = now < state.pausedUntil ? state.refusals : state.refusals + 1
  const backoff = Math.min(MIN_PAUSE_MS * 2 ** (refusals - 1), MAX_BACKOFF_MS)
  const wait = Math.max(retryMs ?? window?.waitMs ?? backoff, MIN_PAUSE_MS)
  const pausedUntil = Math.max(state.pausedUntil, now + wait + random * MAX_JITTER_MS)
  const known = window && { ...window, endsAt: pausedUntil, reportedBy: state.issued, responses: 0 }
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
  // Answers overtake each other. What was sent later knows better; of what was sent earlier, a later window does.
  const isLate = known !== undefined && permit.number < known.reportedBy && observed.resetMs <= known.resetMs
  if (isLate && !isSame) return state
  const waitMs = Math.min(observed.waitMs, MAX_WINDOW_MS) + random * MAX_JITTER_MS
  const fresh = { ...observed, endsAt: now + waitMs, reportedBy: permit.number, responses: 1 }
  const window = isSame ? merged(known, fresh) : fresh
  const isClear = !isSame || permit.number > state.uncertainSince
  return {
    ...state,
    phase: 'counted',
    window,
    windowMs: isSame ? Math.max(state.windowMs, waitMs) : waitMs,
    uncertain: isClear ? 0 : state.uncertain,
  }
}

function merged(known: Window, observed: Window): Window {
  return {
    ...observed,
    remaining: Math.min(known.remaining, observed.remaining),
    endsAt: Math.min(known.endsAt, observed.endsAt),
    reportedBy: Math.max(known.reportedBy, observed.reportedBy),
    responses: known.responses + 1,
  }
}

/** A try ended without an answer: whether the server counted it is not known. */
export function afterLoss(before: LimiterState, permit: Permit): LimiterState {
  return countUncertain(afterUnsent(before, permit), permit)
}

/** A request was not sent after all. */
export function afterUnsent(state: LimiterState, permit: Permit): LimiterState {
  return permit.epoch === state.epoch ? { ...state, inFlight: state.inFlight - 1 } : state
}

function countUncertain(state: LimiterState, permit: Permit): LimiterState {
  if (permit.epoch !== state.epoch) return state
  const unreported = state.unreported + 1
  if (state.phase !== 'counted') return { ...state, unreported }
  return { ...state, unreported, uncertain: state.uncertain + 1, uncertainSince: state.issued }
}

/** Milliseconds that a request will wait, about, when `ahead` others go before it; 0 while that is not known. */
export function expectedWaitMs(state: LimiterState, { pace }: LimiterRules, ahead: number, now: number): number {
  const { phase, window, windowMs, pausedUntil, inFlight } = state
  const pausedMs = Math.max(pausedUntil - now, 0)
  if (!pace || phase !== 'counted' || !window) return pausedMs
  const beyond = ahead - (pausedMs > 0 ? 0 : Math.max(window.remaining - inFlight, 0))
  if (beyond < 0) return pausedMs
  const untilEnd = Math.max(window.endsAt - now, pausedMs, 0)
  return untilEnd + Math.floor(beyond / Math.max(window.limit, 1)) * windowMs
}
