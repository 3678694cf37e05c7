/** One window of the server, as far as answers told of it. */
export interface Window {
  readonly limit: number
  /** The least that any answer told. */
  readonly remaining: number
  /** When it ends by the server's clock, in milliseconds; it names the window. */
  readonly resetMs: number
  /** When it ends by the gate's clock, in milliseconds; never earlier than it does. */
  readonly endsAt: number
  /** The latest ticket whose answer told of it. */
  readonly toldBy: number
  /** Own requests that were answered in it. What else was used, others did. */
  readonly answered: number
}

/** What is known. Replaced, never changed. */
export interface GateState {
  /** `unknown`: a request has to find out; `counted`: the window below holds; `unlimited`: requests are not counted. */
  readonly phase: 'unknown' | 'counted' | 'unlimited'
  /** The latest window, also when it is over. */
  readonly window: Window | undefined
  /** How long windows are, about, in milliseconds; 0 while that is not known. */
  readonly windowMs: number
  /** The server refused: until when nothing goes, by the gate's clock, in milliseconds. */
  readonly closedUntil: number
  /** Times the gate was closed by a refusal without a success in between. */
  readonly closings: number
  /** Counts the times of not knowing. Tickets of an earlier one no longer count as under way. */
  readonly epoch: number
  /** Number of the latest ticket. */
  readonly issued: number
  /** Tickets of this epoch without an answer. */
  readonly inFlight: number
  /** Tries of this window that the server may or may not have counted. */
  readonly doubtful: number
  /** The latest ticket when the last of those ended. */
  readonly doubtfulSince: number
  /** Tries in a row that told nothing. */
  readonly silent: number
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
export type Admission =
  | { readonly state: GateState; readonly ticket: Ticket }
  | { readonly state: GateState; readonly ticket?: undefined; readonly waitMs: number | undefined }

/** Nothing is known. */
export const INITIAL_STATE: GateState = {
  phase: 'unknown',
  window: undefined,
  windowMs: 0,
  closedUntil: 0,
  closings: 0,
  epoch: 0,
  issued: 0,
  inFlight: 0,
  doubtful: 0,
  doubtfulSince: 0,
  silent: 0,
}
