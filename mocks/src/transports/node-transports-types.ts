import type { WorldClock } from '../mock/clock.ts'
import type { World } from '../mock/mock-state.ts'
import type { Interception, InterceptOptions } from './intercept.ts'
import type { Standalone, StandaloneOptions } from './standalone.ts'

/** How `listen()` intercepts. */
export type ListenOptions = Omit<InterceptOptions, 'answer' | 'origin' | 'sleep'>

/** Where `serve()` listens. */
export type ServeOptions = Omit<StandaloneOptions, 'answer' | 'control' | 'now' | 'sleep'>

/** What the lanes of Node work on. */
interface NodeLaneContext {
  readonly world: World
  readonly clock: WorldClock
  readonly origin: string
}

/** The lanes that only Node has. */
export interface NodeLanes {
  listen(context: NodeLaneContext, options: ListenOptions): Promise<Interception>
  serve(context: NodeLaneContext, options: ServeOptions): Promise<Standalone>
}
