import type { ErrorCode } from '@fish-crab/sdk/contract'

/** Faults without parameters. */
export const FAULT_NAMES = [
  /** No response ever arrives. The request is not processed. */
  'silence',
  /** The connection is reset before the response. The request is not processed. */
  'reset',
  /** The request is processed; the connection is reset before the response. */
  'lost-response',
  /** The request is processed; the connection ends after status and headers, as when the server process dies. */
  'reset-after-headers',
  /** The request is processed; the connection ends before the body reaches its `content-length`. */
  'cut-body',
  /** The request is processed; the body is half of the JSON, with a matching `content-length`. */
  'malformed-json',
  /** The request is processed; the body is JSON of another shape. */
  'wrong-shape',
  /** The request is processed; the body is an HTML page, as from a captive portal. */
  'wrong-content-type',
  /** The service cannot reach its storage. */
  'storage-down',
  /** The service can read its storage and stores no catches. */
  'storage-full',
] as const

/** One of {@link FAULT_NAMES}. */
export type FaultName = (typeof FAULT_NAMES)[number]

/** The default error code of each status. */
export const DEFAULT_CODES = {
  400: 'invalid_payload',
  401: 'invalid_credentials',
  403: 'forbidden',
  404: 'user_not_found',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const satisfies Readonly<Record<number, ErrorCode>>

/** An error response as the service sends it. The request counts towards the rate limit and is not processed. */
export interface StatusFault {
  readonly status: keyof typeof DEFAULT_CODES
  /** An error code with this status. @default see {@link DEFAULT_CODES} */
  readonly code?: ErrorCode
}

/** A delayed response. */
export interface LatencyFault {
  readonly latencyMs: number
}

/** A failure that `mock.fail()` can cause. Plain data. */
export type Fault = FaultName | StatusFault | LatencyFault

/** The name of a fault in the history. @example faultLabel({ status: 503 }) // 'status 503' */
export function faultLabel(fault: Fault): string {
  if (typeof fault === 'string') return fault
  return 'status' in fault ? `status ${fault.status}` : `latency ${fault.latencyMs} ms`
}
