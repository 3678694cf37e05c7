/*
 * When a request may go, so that the server never has to refuse one. Pure: the gate around it (gate.ts) holds the
 * state, the queue and the timer.
 *
 * The server opens a window with a client's first request, and tells with every answer how many requests remain and
 * when the window ends. While nothing is known, one request goes ahead and finds out. Then half of what remains may be
 * under way at once: whoever else uses up the same budget is noticed before the rest is sent. A try without an answer
 * may have been counted or not; until an answer tells, its place is given to one request at a time.
 */

/** One window of the server, as far as answers told of it. */
interface Window {
  readonly limit: number
  /** The least that any answer told. */
  readonly remaining: number
  /** When it ends by the server's clock, in milliseconds; it names the window. */
  readonly resetMs: number
  /** When it ends by the gate's clock, in milliseconds; never earlier than it does. */
  readonly endsAt: number
  /** Whether the server refused a request in it. */
  readonly refused: boolean
}

/** What is known. Replaced, never changed. */
export interface GateState {
  /** `unknown`: a request has to find out; `counted`: the window below holds; `free`: requests are not counted. */
  readonly phase: 'unknown' | 'counted' | 'free'
  /** The latest window, also when it is over. */
  readonly window: Window | undefined
  /** Longest time to its end that a window ever had, in milliseconds: how long windows are, about. */
  readonly windowMs: number
  /** Counts the times of not knowing. Tickets of an earlier one no longer count as under way. */
  readonly epoch: number
  /** Number of the latest ticket. */
  readonly issued: number
  /** Tickets of this epoch without an answer. */
  readonly inFlight: number
  /** Tries that ended without an answer, since one told what remains. */
  readonly doubtful: number
  /** The latest ticket when the last of those ended. */
  readonly doubtfulSince: number
  /** Refusals without a success in between. */
  readonly refusals: number
}

/** The permission to send one request. */
export interface Ticket {
  readonly number: number
  readonly epoch: number
}

/** How a gate decides. */
export interface GateRules {
  /** Whether to hold requests back before the server refuses one. */
  readonly pace: boolean
  /** Requests at once while nothing is known. */
  readonly probes: number
}

/** What an answer tells the gate. */
export interface GateAnswer {
  readonly status: number
  readonly limit?: number | undefined
  readonly remaining?: number | undefined
  /** By the server's clock, in milliseconds. */
  readonly resetMs?: number | undefined
  /** Milliseconds until the window ends, or until a refused request may be sent again. */
  readonly waitMs?: number | undefined
}

/** A request may go, or has to wait: `waitMs` milliseconds, or until another one is answered. */
export type Admission =
  | { readonly state: GateState; readonly ticket: Ticket }
  | { readonly state: GateState; readonly ticket?: undefined; readonly waitMs: number | undefined }

const LONGEST_JITTER_MS = 250
// A server that says "now" together with 429 must not be asked in a tight loop.
const SHORTEST_REFUSAL_MS = 1000
const LONGEST_BACKOFF_MS = 30_000

export const INITIAL_STATE: GateState = {
  phase: 'unknown',
  window: undefined,
  windowMs: 0,
  epoch: 0,
  issued: 0,
  inFlight: 0,
  doubtful: 0,
  doubtfulSince: 0,
  refusals: 0,
}

/** Lets the next request go, or tells how long it has to wait. */
export function admit(before: GateState, rules: GateRules, now: number): Admission {
  const state = before.window && now >= before.window.endsAt ? afterWindow(before) : before
  const wait = waitOf(state, rules, now)
  if (wait !== 'none') return { state, waitMs: wait }
  const issued = state.issued + 1
  const ticket = { number: issued, epoch: state.epoch }
  return { state: { ...state, issued, inFlight: state.inFlight + 1 }, ticket }
}

function waitOf({ phase, window, inFlight, doubtful }: GateState, rules: GateRules, now: number) {
  if (phase === 'free') return 'none'
  if (phase === 'unknown' || !window) return !rules.pace || inFlight < rules.probes ? 'none' : undefined
  if (!rules.pace) return window.refused ? window.endsAt - now : 'none'
  const { remaining, endsAt } = window
  if (remaining === 0) return endsAt - now
  const certain = remaining - inFlight - doubtful
  const mayGo = inFlight === 0 || (certain > 0 && inFlight < Math.ceil(remaining / 2))
  return mayGo ? 'none' : undefined
}

/** The window is over: what remains of the next one, a request has to find out. */
export function afterWindow(state: GateState): GateState {
  if (state.phase !== 'counted') return state
  return { ...state, phase: 'unknown', epoch: state.epoch + 1, inFlight: 0, doubtful: 0 }
}

/** @param random A number from 0 up to 1, which spreads processes that wait for the same moment. */
export function afterAnswer(
  before: GateState,
  ticket: Ticket,
  answer: GateAnswer,
  now: number,
  random: number,
): GateState {
  const state = afterEnd(before, ticket)
  if (isRefusal(answer)) return afterRefusal(state, ticket, answer, now, random)
  if (answer.remaining === undefined || answer.resetMs === undefined) {
    // What stands between here and the server may fail on its own; only the server itself tells that it does not count.
    return answer.status >= 500 ? inDoubt(state, ticket) : { ...state, phase: 'free', refusals: 0 }
  }
  return withWindow(
    { ...state, refusals: 0 },
    ticket,
    {
      limit: answer.limit ?? answer.remaining,
      remaining: answer.remaining,
      resetMs: answer.resetMs,
      endsAt: now + (answer.waitMs ?? 0) + random * LONGEST_JITTER_MS,
      refused: false,
    },
    now,
  )
}

/** Whether an answer says that this budget is used up. Another limit may refuse too, while something remains of this. */
export function isRefusal({ status, remaining = 0 }: GateAnswer): boolean {
  return status === 429 && remaining === 0
}

function afterRefusal(state: GateState, ticket: Ticket, answer: GateAnswer, now: number, random: number): GateState {
  const backoff = Math.min(SHORTEST_REFUSAL_MS * 2 ** state.refusals, LONGEST_BACKOFF_MS)
  const wait = Math.max(answer.waitMs ?? backoff, SHORTEST_REFUSAL_MS)
  const endsAt = now + wait + random * LONGEST_JITTER_MS
  const resetMs = answer.resetMs ?? state.window?.resetMs ?? 0
  const limit = answer.limit ?? state.window?.limit ?? 1
  const refused = { ...state, refusals: state.refusals + 1 }
  return withWindow(refused, ticket, { limit, remaining: 0, resetMs, endsAt, refused: true }, now)
}

function withWindow(state: GateState, ticket: Ticket, told: Window, now: number): GateState {
  const known = state.window
  const isLate = known !== undefined && told.resetMs <= known.resetMs && ticket.epoch < state.epoch
  // Answers overtake each other: one of a window that is over tells nothing.
  if (isLate || (known !== undefined && state.phase === 'counted' && told.resetMs < known.resetMs)) return state
  const isSame = known !== undefined && state.phase === 'counted' && told.resetMs === known.resetMs
  const window = isSame
    ? {
        ...told,
        remaining: Math.min(told.remaining, known.remaining),
        endsAt: Math.min(told.endsAt, known.endsAt),
        refused: told.refused || known.refused,
      }
    : told
  const clears = !isSame || ticket.number > state.doubtfulSince
  return {
    ...state,
    phase: 'counted',
    window,
    windowMs: Math.max(state.windowMs, window.endsAt - now),
    doubtful: clears ? 0 : state.doubtful,
  }
}

/** A try ended without an answer: whether the server counted it is not known. */
export function afterLoss(before: GateState, ticket: Ticket): GateState {
  return inDoubt(afterEnd(before, ticket), ticket)
}

/** A request was not sent after all. */
export function afterEnd(state: GateState, ticket: Ticket): GateState {
  return ticket.epoch === state.epoch ? { ...state, inFlight: state.inFlight - 1 } : state
}

function inDoubt(state: GateState, ticket: Ticket): GateState {
  if (state.phase !== 'counted' || ticket.epoch !== state.epoch) return state
  return { ...state, doubtful: state.doubtful + 1, doubtfulSince: state.issued }
}

/** Milliseconds that a request will wait, about, when `ahead` others go before it; 0 while that is not known. */
export function expectedWaitMs(
  { phase, window, windowMs, inFlight }: GateState,
  rules: GateRules,
  ahead: number,
  now: number,
): number {
  if (phase !== 'counted' || !window) return 0
  const untilEnd = Math.max(window.endsAt - now, 0)
  if (!rules.pace) return window.refused ? untilEnd : 0
  const beyond = ahead - Math.max(window.remaining - inFlight, 0)
  if (beyond < 0) return 0
  return untilEnd + Math.floor(beyond / Math.max(window.limit, 1)) * windowMs
}
