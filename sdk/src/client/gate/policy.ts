import { LIMITS } from '../../contract/limits.ts'
import type { Admission, GateAnswer, GateRules, GateState, Ticket, Window } from './state.ts'

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

const LONGEST_JITTER_MS = 250
// A server that says "now" together with 429 must not be asked in a tight loop.
const SHORTEST_CLOSING_MS = 1000
const LONGEST_BACKOFF_MS = 30_000
// Without a refusal nothing is believed to last longer: after that, a request finds out.
const LONGEST_WINDOW_MS = 2 * LIMITS.windowSeconds * 1000

/** Lets the next request go, or tells how long it has to wait. */
export function admit(before: GateState, rules: GateRules, now: number): Admission {
  const state = now >= untilOf(before) ? afterWait(before) : before
  const wait = waitOf(state, rules, now)
  if (wait !== 'none') return { state, waitMs: wait }
  const issued = state.issued + 1
  const ticket = { number: issued, epoch: state.epoch }
  return { state: { ...state, issued, inFlight: state.inFlight + 1 }, ticket }
}

/** When what holds requests back is over, by the gate's clock. */
function untilOf({ phase, window, closedUntil }: GateState): number {
  return Math.max(closedUntil, phase === 'counted' && window ? window.endsAt : 0)
}

function waitOf(state: GateState, { pace, probes }: GateRules, now: number): number | 'none' | undefined {
  const { phase, window, closedUntil, inFlight } = state
  if (now < closedUntil) return closedUntil - now
  if (phase === 'unlimited' || !pace) return 'none'
  // Where requests vanish, the limit is not what is wrong: then more and more may find out at once.
  const finders = Math.min(probes * 2 ** state.silent, LIMITS.requests)
  if (phase === 'unknown' || !window) return inFlight < Math.max(finders, probes) ? 'none' : undefined
  if (window.remaining === 0) return window.endsAt - now
  const certain = window.remaining - inFlight - state.doubtful
  if (certain > 0) return inFlight < atOnce(window, state.doubtful) ? 'none' : undefined
  return inFlight < Math.min(finders, window.remaining) ? 'none' : undefined
}

/** Half of what remains; where others use the window too, a third of the share that was used here. */
function atOnce({ limit, remaining, answered }: Window, doubtful: number): number {
  const here = answered + doubtful
  const others = Math.max(limit - remaining - here, 0)
  if (others === 0) return Math.ceil(remaining / 2)
  return Math.max(Math.floor((remaining / 3) * (here / (here + others))), 1)
}

/** What held requests back is over: what remains, a request has to find out. */
export function afterWait(state: GateState): GateState {
  if (state.phase !== 'counted' && state.closedUntil === 0) return state
  const phase = state.phase === 'unlimited' ? 'unlimited' : 'unknown'
  return { ...state, phase, closedUntil: 0, epoch: state.epoch + 1, inFlight: 0, doubtful: 0, silent: 0 }
}

/** @param random A number from 0 up to 1, which spreads processes that wait for the same moment. */
export function afterAnswer(
  before: GateState,
  ticket: Ticket,
  answer: GateAnswer,
  now: number,
  random: number,
): GateState {
  const state = afterUnsent(before, ticket)
  if (isRefusal(answer)) return afterRefusal(state, answer, now, random)
  if (answer.window) return afterTold({ ...state, silent: 0, closings: 0 }, ticket, answer.window, now, random)
  // What stands between here and the service answers for itself; only the service tells that it does not count.
  if (!answer.isService || answer.status >= 500) return inDoubt(state, ticket)
  return { ...state, phase: 'unlimited', silent: 0, closings: 0 }
}

/** Whether an answer says that this budget is used up. Another limit may refuse too, while something remains of this. */
export function isRefusal({ status, window }: GateAnswer): boolean {
  return status === 429 && (window === undefined || window.remaining === 0)
}

function afterRefusal(state: GateState, { retryMs, window }: GateAnswer, now: number, random: number): GateState {
  // Many that were under way are refused together: that is one closing.
  const closings = now < state.closedUntil ? state.closings : state.closings + 1
  const backoff = Math.min(SHORTEST_CLOSING_MS * 2 ** (closings - 1), LONGEST_BACKOFF_MS)
  const wait = Math.max(retryMs ?? window?.waitMs ?? backoff, SHORTEST_CLOSING_MS)
  const closedUntil = Math.max(state.closedUntil, now + wait + random * LONGEST_JITTER_MS)
  const known = window && { ...window, endsAt: closedUntil, toldBy: state.issued, answered: 0 }
  return { ...state, closings, closedUntil, window: known ?? state.window }
}

function afterTold(
  state: GateState,
  ticket: Ticket,
  told: NonNullable<GateAnswer['window']>,
  now: number,
  random: number,
): GateState {
  const known = state.window
  const isSame = state.phase === 'counted' && known?.resetMs === told.resetMs
  // Answers overtake each other. What was sent later knows better; of what was sent earlier, a later window does.
  const isLate = known !== undefined && ticket.number < known.toldBy && told.resetMs <= known.resetMs
  if (isLate && !isSame) return state
  const waitMs = Math.min(told.waitMs, LONGEST_WINDOW_MS) + random * LONGEST_JITTER_MS
  const fresh = { ...told, endsAt: now + waitMs, toldBy: ticket.number, answered: 1 }
  const window = isSame ? merged(known, fresh) : fresh
  const isClear = !isSame || ticket.number > state.doubtfulSince
  return {
    ...state,
    phase: 'counted',
    window,
    windowMs: isSame ? Math.max(state.windowMs, waitMs) : waitMs,
    doubtful: isClear ? 0 : state.doubtful,
  }
}

function merged(known: Window, told: Window): Window {
  return {
    ...told,
    remaining: Math.min(known.remaining, told.remaining),
    endsAt: Math.min(known.endsAt, told.endsAt),
    toldBy: Math.max(known.toldBy, told.toldBy),
    answered: known.answered + 1,
  }
}

/** A try ended without an answer: whether the server counted it is not known. */
export function afterLoss(before: GateState, ticket: Ticket): GateState {
  return inDoubt(afterUnsent(before, ticket), ticket)
}

/** A request was not sent after all. */
export function afterUnsent(state: GateState, ticket: Ticket): GateState {
  return ticket.epoch === state.epoch ? { ...state, inFlight: state.inFlight - 1 } : state
}

function inDoubt(state: GateState, ticket: Ticket): GateState {
  if (ticket.epoch !== state.epoch) return state
  const silent = state.silent + 1
  if (state.phase !== 'counted') return { ...state, silent }
  return { ...state, silent, doubtful: state.doubtful + 1, doubtfulSince: state.issued }
}

/** Milliseconds that a request will wait, about, when `ahead` others go before it; 0 while that is not known. */
export function expectedWaitMs(state: GateState, { pace }: GateRules, ahead: number, now: number): number {
  const { phase, window, windowMs, closedUntil, inFlight } = state
  const closedMs = Math.max(closedUntil - now, 0)
  if (!pace || phase !== 'counted' || !window) return closedMs
  const beyond = ahead - (closedMs > 0 ? 0 : Math.max(window.remaining - inFlight, 0))
  if (beyond < 0) return closedMs
  const untilEnd = Math.max(window.endsAt - now, closedMs, 0)
  return untilEnd + Math.floor(beyond / Math.max(window.limit, 1)) * windowMs
}
