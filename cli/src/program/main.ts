import { EventEmitter, on } from 'node:events'
import { earlyFlags } from '../core/argv.ts'
import { EXIT, interruption, stdoutError } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { renderLines, reportLines } from '../terminal/text.ts'
import { runCli } from './run-cli.ts'

export { runCli } from './run-cli.ts'

const EXIT_DEADLINE_MS = 1000

/** Runs the program. Sets the exit status instead of forcing an exit, so that pending output is written. */
export async function main(): Promise<void> {
  let isService = false
  let wasStopped = false
  const system = processSystem({ onService: () => (isService = true), onStop: () => (wasStopped = true) })
  exitOnStdoutError(system, () => isService)
  exitOnUncaughtException(system)
  const status = await runCli(process.argv.slice(2), system)
  // An error of stdout may already have set the exit status.
  process.exitCode ??= status
  if (status !== EXIT.interrupted && !wasStopped) return
  // After a signal, the process exits without waiting for pending work or a slow reader of stdout.
  setTimeout(() => process.exit(), EXIT_DEADLINE_MS).unref()
  if (status !== EXIT.interrupted) return
  await new Promise((resolve) => process.stdout.write('', resolve))
  process.exit()
}

/** Replaces the report of Node, which would print the message and the fields of the error. Both may contain secrets. */
function exitOnUncaughtException(system: System): void {
  let isReported = false
  process.on('uncaughtException', async (error) => {
    if (isReported) return
    isReported = true
    const { reportError } = await import('./report-error.ts')
    const exit = await reportError(system, { ...earlyFlags(process.argv.slice(2)), error })
    await new Promise((resolve) => system.stderr.write('', resolve))
    process.exit(exit)
  })
}

/** EPIPE is not reported. A service continues after stdout is closed, because clients still use the service. */
function exitOnStdoutError({ stdout, stderr }: System, isService: () => boolean): void {
  stderr.on('error', () => {})
  stdout.on('error', (cause: NodeJS.ErrnoException) => {
    const error = stdoutError(cause)
    if (!error && isService()) return
    if (error) stderr.write(`${renderLines(reportLines(error), { colours: false })}\n`)
    process.exit(error?.exit ?? EXIT.ok)
  })
}

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
