import { resolveTarget, type Target } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { renderRows } from '../output/rows.ts'
import { screenOf, useColours } from '../output/screen.ts'
import { jsonText, wrapMessage } from '../output/text.ts'
import type { Command, CommandContext, CommandInput, CommandRows } from './define.ts'

/** Adds to the context of a run what one command needs. It inherits from it, since copying it would open stdin. */
export function createCommandContext(
  context: Context,
  command: Command,
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
      const lines = () => render(useColours(context.env, context.stdout))
      const text = flags.json ? jsonText(data, 2) : isVerbatim ? lines() : wrapMessage(lines(), added.screen.width)
      if (text !== '') write(`${text}\n`)
      return EXIT.ok
    },
    async printRows<Row extends object>(output: CommandRows<Row>, rowFlags = outputFlags) {
      const columns: readonly Column<Row>[] = output.columns ?? command.columns ?? []
      const text = renderRows({ ...output, columns }, rowFlags, added.screen)
      if (output.rows.length === 0 && output.empty !== undefined) added.note(output.empty)
      return added.printLong(text, rowFlags)
    },
    async printChart({ bars, ...output }, rowFlags = outputFlags) {
      if (formatOf(rowFlags) !== 'table' || rowFlags.fields !== undefined || output.rows.length === 0) {
        return added.printRows(output, rowFlags)
      }
      const { renderChart } = await import('../output/chart.ts')
      return added.printLong(`${renderChart(bars, added.screen)}\n`, rowFlags)
    },
    async printLong(text, textFlags = outputFlags) {
      const { page, env, stdout } = context
      if (page && stdout.isTTY && !textFlags['no-pager']) {
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
