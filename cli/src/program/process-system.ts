import { EventEmitter, on } from 'node:events'
import { interruption } from '../core/errors.ts'
import type { System } from '../core/system.ts'

/**
 * @param events `onService` is called when the command starts a service that runs until a stop signal. `onStop` is
 * called at each stop signal.
 */
export function processSystem(events: { onService?: () => unknown; onStop?: () => unknown } = {}): System {
  return {
    env: process.env,
    // `stdin` is a getter, because opening stdin takes time and most commands do not read stdin.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    async page(pager, text) {
      const { runPager } = await import('../terminal/pager.ts')
      return runPager(pager, text, process.env)
    },
    async openBrowser(url) {
      const { openBrowser } = await import('../terminal/browser.ts')
      return openBrowser(url, process.env)
    },
    interrupted() {
      const controller = new AbortController()
      // Each handler runs only once, so that a second signal ends the process as usual.
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort(interruption()))
      return controller.signal
    },
    stopRequests() {
      events.onService?.()
      const signals = new EventEmitter()
      for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => signals.emit('stop'))
      signals.on('stop', () => events.onStop?.())
      // The iterator queues signals that arrive before the returned function is called, such as during the start of a
      // server.
      const requests = on(signals, 'stop')
      return async () => {
        await requests.next()
      }
    },
  }
}
