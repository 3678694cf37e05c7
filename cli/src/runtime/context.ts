import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@fish-crab/sdk'
import { readConfig } from '../config/config-file.ts'
import type { Config, Context, System } from '../core/context.ts'
import { interruption } from '../core/errors.ts'
import { createStatusLine } from '../output/status-line.ts'

interface ProcessEvents {
  /** Called when the run becomes a service, which ends when it is asked to stop. */
  readonly onService?: () => void
  /** Called at each request to stop a service. */
  readonly onStop?: () => void
}

/** The streams, environment and signals of this process. */
export function processSystem({ onService = () => {}, onStop = () => {} }: ProcessEvents = {}): System {
  return {
    env: process.env,
    // A getter: opening stdin takes time, and most commands do not read it.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    // A getter: it loads a part of Node that few commands need.
    get startedAt() {
      return performance.timeOrigin
    },
    async page(pager, text) {
      const { runPager } = await import('../output/pager.ts')
      return runPager(pager, text, process.env)
    },
    interrupted() {
      const controller = new AbortController()
      // Once: a second signal ends the process as usual.
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort(interruption()))
      return controller.signal
    },
    stopRequests() {
      onService()
      const signals = new EventEmitter()
      signals.on('stop', onStop)
      for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => signals.emit('stop'))
      // The iterator queues requests that arrive while nothing waits for them, such as during the start of a server.
      const requests = on(signals, 'stop')
      return async () => {
        await requests.next()
      }
    },
  }
}

/** Creates the context of one run. It inherits from the system, since copying it would open stdin. */
export function createContext(system: System): Context {
  let config: Config | undefined
  return Object.create(system, {
    clock: { value: system.clock ?? machineClock() },
    line: { value: createStatusLine(system) },
    config: { get: () => (config ??= readConfig(system)) },
  })
}

function machineClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms, signal) {
      await sleep(ms, undefined, signal ? { signal } : {})
    },
  }
}
