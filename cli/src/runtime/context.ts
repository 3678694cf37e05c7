import { EventEmitter, on } from 'node:events'
import { sleep } from '../../../sdk/src/internal/wait.ts'
import { readConfig } from '../config/config-file.ts'
import { resolveTarget, type Target } from '../config/target.ts'
import type { Config, Context, System } from '../core/context.ts'
import { EXIT, interruption } from '../core/errors.ts'
import type { OutputFlags } from '../core/format.ts'
import type { CommandContext, CommandInput } from '../kit/define.ts'
import { type RowsOutput, renderRows } from '../output/rows.ts'
import { screenOf } from '../output/screen.ts'
import { createStatusLine } from '../output/status-line.ts'
import { jsonText, wrapMessage } from '../output/text.ts'

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
      const { runPager } = await import('../output/pager.ts')
      return runPager(pager, text, process.env)
    },
    async openBrowser(url) {
      const { openBrowser } = await import('../output/browser.ts')
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

/** The context inherits from the system, because copying the system would open stdin. */
export function createContext(system: System, argv: readonly string[]): Context {
  let config: Config | undefined
  return Object.create(system, {
    argv: { value: argv },
    clock: { value: system.clock ?? { now: () => Date.now(), sleep } },
    line: { value: createStatusLine(system) },
    config: { get: () => (config ??= readConfig(system)) },
  })
}

/** The context inherits from the context of the run, because copying that context would open stdin. */
export function createCommandContext(
  context: Context,
  // biome-ignore lint/suspicious/noExplicitAny: flags of any command
  { args, flags }: CommandInput<any, any>,
): CommandContext {
  const outputFlags: OutputFlags = flags
  let target: Target | undefined

  function write(text: string): void {
    context.line.clear()
    context.stdout.write(text)
  }

  const added: Omit<CommandContext, keyof Context> = {
    args,
    flags,
    get screen() {
      return screenOf(context, context.stdout)
    },
    get target() {
      target ??= resolveTarget(context, flags)
      return target
    },
    print(data, render, { isVerbatim = false } = {}) {
      const text = flags.json ? jsonText(data, 2) : isVerbatim ? render() : wrapMessage(render(), added.screen)
      if (text !== '') write(`${text}\n`)
      return EXIT.ok
    },
    async printRows<Row extends object>(output: RowsOutput<Row>) {
      const text = renderRows(output, outputFlags, added.screen)
      if (output.rows.length === 0 && output.empty !== undefined) added.note(output.empty)
      return added.printLong(text)
    },
    async printChart({ charts, ...output }) {
      if (outputFlags.json || outputFlags.csv || output.rows.length === 0) return added.printRows(output)
      const { renderChart } = await import('../output/chart.ts')
      return added.printLong(`${charts.map((bars) => renderChart(bars, added.screen)).join('\n\n')}\n`)
    },
    async printLong(text) {
      const { page, env, stdout } = context
      if (page && stdout.isTTY) {
        const { needsPager, pagerOf } = await import('../output/pager.ts')
        const pager = pagerOf(env)
        context.line.clear()
        if (pager && needsPager(text, added.screen) && (await page(pager, text))) return EXIT.ok
      }
      if (text !== '') write(text)
      return EXIT.ok
    },
    note(text) {
      if (!flags.json) context.line.say(text)
    },
  }
  return Object.create(context, Object.getOwnPropertyDescriptors(added)) as CommandContext
}
