import type { ErrorCode } from '@fish-crab/sdk/contract'

/** Faults that need no more than their name. */
export const FAULT_NAMES = [
  /** Nothing ever comes. Nothing is carried out. */
  'silence',
  /** The connection is reset before anything of the answer. Nothing is carried out. */
  'reset',
  /** Carried out; then the connection is reset before anything of the answer. */
  'lost-answer',
  /** Carried out; the connection is lost behind status and headers, as when the server dies there. */
  'reset-after-headers',
  /** Carried out; the body ends too early, though `content-length` promised more. */
  'cut-body',
  /** Carried out; the body is half of the JSON, with a `content-length` that fits. */
  'malformed-json',
  /** Carried out; the body is JSON of another shape. */
  'wrong-shape',
  /** Carried out; the body is a page of HTML, as from a proxy on the way. */
  'wrong-content-type',
  /** The service cannot reach its storage. */
  'storage-down',
  /** The service can read its storage, and stores no catches. */
  'storage-full',
] as const

/** One of {@link FAULT_NAMES}. */
export type FaultName = (typeof FAULT_NAMES)[number]

/** The code that a refusal of each status carries when none is given. */
export const DEFAULT_CODES = {
  400: 'invalid_payload',
  401: 'invalid_credentials',
  403: 'forbidden',
  404: 'user_not_found',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const satisfies Readonly<Record<number, ErrorCode>>

/** A refusal, with the body and the headers that the contract has for it. It is counted; nothing is carried out. */
export interface StatusFault {
  readonly status: keyof typeof DEFAULT_CODES
  /** A code of that status. @default the usual one, such as `user_not_found` for 404 */
  readonly code?: ErrorCode
}

/** An answer as always, but late. */
export interface LatencyFault {
  readonly latencyMs: number
}

/** What can go wrong with a request. Plain data. */
export type Fault = FaultName | StatusFault | LatencyFault

/** The name of a fault in the journal. @example faultLabel({ status: 503 }) // 'status 503' */
export function faultLabel(fault: Fault): string {
  if (typeof fault === 'string') return fault
  return 'status' in fault ? `status ${fault.status}` : `latency ${fault.latencyMs} ms`
}
