import type { MockClock } from '../mock/clock.ts'
import type { World } from '../mock/mock-state.ts'
import type { JournalView } from './journal-view.ts'

/** What the control endpoints see and move. */
export interface Controlled {
  readonly world: World
  readonly clock: MockClock
  readonly journal: JournalView
}

/** One endpoint that steers a world. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly summary: string
  /** An example of the body it takes. @default it takes none */
  readonly example?: unknown
  /** @default 200 */
  readonly status?: number
  /** Does it, and answers what its body shall be. */
  readonly run: (controlled: Controlled, request: Request) => unknown
}
