import type { ErrorCode } from '@fish-crab/sdk/contract'
import type { NetworkFault } from '../service/outcome.ts'

interface FaultEffect {
  /** @default `undefined`: the response arrives */
  readonly network?: NetworkFault
  /** Whether the service only counts the request towards the rate limit and does not process it. @default false */
  readonly isIgnored?: boolean
  /** The failure of the storage. @default `undefined`: the storage works */
  readonly storage?: 'down' | 'full'
  /** Changes the body of the response. @default `undefined`: the body stays unchanged */
  readonly body?: (text: string) => string
  /** @default `application/json` */
  readonly contentType?: string
}

export const HTML = 'text/html; charset=utf-8'
const RESET: NetworkFault = { kind: 'reset' }

/** The name of a fault without parameters. */
export type FaultName =
  /** No response ever arrives. The request is not processed. */
  | 'silence'
  /** The connection is reset before the response. The request is not processed. */
  | 'reset'
  /** The request is processed; the connection is reset before the response. */
  | 'lost-response'
  /** The request is processed; the connection ends after status and headers, as when the server process dies. */
  | 'reset-after-headers'
  /** The request is processed; the connection ends before the body reaches its `content-length`. */
  | 'cut-body'
  /** The request is processed; the body is half of the JSON, with a matching `content-length`. */
  | 'malformed-json'
  /** The request is processed; the body is JSON whose shape differs from the documented shape. */
  | 'wrong-shape'
  /** The request is processed; the body is an HTML page, as from a captive portal. */
  | 'wrong-content-type'
  /** The service cannot reach its storage. */
  | 'storage-down'
  /** The service can read its storage, but cannot store catches. */
  | 'storage-full'

const FAULTS: Readonly<Record<FaultName, FaultEffect>> = {
  silence: { network: { kind: 'silence' }, isIgnored: true },
  reset: { network: RESET, isIgnored: true },
  'lost-response': { network: RESET },
  'reset-after-headers': { network: { kind: 'cut-body', share: 0 } },
  'cut-body': { network: { kind: 'cut-body', share: 0.5 } },
  // No proper prefix of a JSON object is valid JSON.
  'malformed-json': { body: (text) => text.slice(0, Math.max(1, text.length >> 1)) },
  'wrong-shape': { body: (text) => JSON.stringify({ data: text }) },
  'wrong-content-type': {
    body: () => '<!doctype html><title>Sign in</title><p>Sign in to this network to continue.</p>\n',
    contentType: HTML,
  },
  'storage-down': { storage: 'down' },
  'storage-full': { storage: 'full' },
}

/** The names of the faults without parameters. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[]

export function effectOf(fault: Fault): FaultEffect {
  return typeof fault === 'string' ? FAULTS[fault] : {}
}

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

/** Error pages of proxies. The service itself never responds with these statuses. */
export const PROXY_PAGES = {
  502: '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>\n',
  504: '<!doctype html><title>504 Gateway Timeout</title><h1>504 Gateway Timeout</h1>\n',
} as const

/**
 * An error response as the service sends it, or the error page of a proxy for 502 and 504. The request is not
 * processed. The request counts towards the rate limit, unless a proxy responds.
 */
export interface StatusFault {
  /** HTTP status of the response. */
  readonly status: keyof typeof DEFAULT_CODES | keyof typeof PROXY_PAGES
  /** An error code with this status. @default see {@link DEFAULT_CODES} */
  readonly code?: ErrorCode
  /** The header `retry-after`, in whole seconds. @default the end of the window for 429, otherwise no header */
  readonly retryAfter?: number
  /** The body: a text is sent as HTML, an object as JSON. @default the body of the service or of the proxy */
  readonly body?: string | object
}

/** A delayed response. */
export interface LatencyFault {
  /** Milliseconds on the clock of the mock. */
  readonly latencyMs: number
}

/** A failure that `mock.fail()` can cause, as plain data. */
export type Fault = FaultName | StatusFault | LatencyFault

/** The name of a fault in the history. @example faultLabel({ status: 503 }) // 'status 503' */
export function faultLabel(fault: Fault): string {
  if (typeof fault === 'string') return fault
  return 'status' in fault ? `status ${fault.status}` : `latency ${fault.latencyMs} ms`
}
