import type { RouteName } from '@fish-crab/sdk/contract'

/** What the public rate limit decided: `bypassed` stands for requests that something lifts the limit for. */
export type AdmissionDecision = 'allowed' | 'refused' | 'bypassed'

/** One answered request. */
export interface RequestObservation {
  /** The route of the contract; `unmatched` where there is none. */
  readonly route: RouteName | 'unmatched'
  /** The HTTP method; `other` for what no route has. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS' | 'other'
  readonly status: number
  /** From its arrival until its answer was ready to be sent; the sending of a long body is not in it. */
  readonly seconds: number
}

/** One operation of the storage, settled. */
export interface StorageObservation {
  /** Name of the operation; one of a fixed few. */
  readonly operation: string
  readonly seconds: number
  readonly failed: boolean
}

/** What a scrape gets. */
export interface RenderedMetrics {
  readonly body: string
  readonly contentType: string
}

/**
 * Where the app counts what it does. The app brings none: what can be measured depends on the platform. No label
 * comes from a client, so the number of series is bounded.
 */
export interface Metrics {
  /** Monotonic time in milliseconds, which durations are measured with. */
  now(): number
  observeRequest(observation: RequestObservation): void
  observeAdmission(decision: AdmissionDecision): void
  observeStorage(observation: StorageObservation): void
  /** All of it, as `GET /metrics` answers it. */
  render(): Promise<RenderedMetrics>
}
