import type { Clock } from '@fish-crab/sdk'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { clockOf } from '../core/time.ts'
import type { Bar } from './chart.ts'
import type { LiveView } from './live-view.ts'
import { type Countdown, createCountdown, createProgress, type Progress, type ProgressOptions } from './progress.ts'
import { type Screen, screenOf } from './screen.ts'
import { createStatusLine } from './status-line.ts'
import type { Column, OutputFlags, RowsOutput } from './table.ts'
import { jsonText, type Line, linesOf, printable, renderLines, renderMessage, safeContent, type Text } from './text.ts'

/** The flags of a command line that decide how its command prints and prompts. */
export interface TerminalFlags extends OutputFlags {
  readonly yes?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
  readonly 'password-stdin'?: boolean | undefined
}

interface Confirmation {
  /** The text to type instead of `y`, so that large changes are not confirmed by mistake. */
  readonly typed?: string | undefined
  /** A note about the change. A prompt shows the note even with `--json`. */
  readonly about?: Text | undefined
}

interface Layout {
  /** Whether lines are not wrapped, for text to copy. */
  readonly isVerbatim: boolean
}

/** The layout of output that contains a command to copy. A wrapped command could not be copied. */
export const COPYABLE: Layout = { isVerbatim: true }

/**
 * The only way out of a command. Every text may come from a service or a file: the terminal replaces the characters
 * that could control it. Data goes to stdout, everything else to stderr.
 */
export interface Terminal {
  readonly flags: TerminalFlags
  /** Whether stderr is a terminal with a status line. */
  readonly isLive: boolean
  /** The screen of stdout. */
  readonly screen: Screen
  /** Whether stdout is a terminal on which output can be rewritten. */
  readonly canRewrite: boolean
  /** Whether a person can reply to a prompt. */
  readonly canPrompt: boolean
  /** Prints the data with `--json`, otherwise the text. */
  print(data: unknown, render: () => Text, layout?: Layout): number
  /** Prints one line: the data as JSON with `--json`, otherwise the text. */
  printLine(data: unknown, render: () => Line): void
  /** Prints rows. On a terminal, a long table is paged. */
  printRows<Row extends object>(output: RowsOutput<Row>): Promise<number>
  /** Prints tables below each other. Other formats print the rows of `output`. */
  printTables<Row extends object>(
    output: RowsOutput<Row>,
    // biome-ignore lint/suspicious/noExplicitAny: tables with different rows
    tables: readonly RowsOutput<any>[],
  ): Promise<number>
  /**
   * Prints charts instead of a table, each with its own scale. Every other format prints the rows from which the charts
   * are drawn.
   */
  printChart<Row extends object>(
    output: RowsOutput<Row> & { readonly charts: readonly (readonly Bar[])[] },
  ): Promise<number>
  /** Prints the content of a file, which ends with a newline. Pipes and files get the content unchanged. */
  printFile(content: string): number
  /** Returns a function that prints rows as the rows arrive. */
  rowStream<Row extends object>(columns: readonly Column<Row>[]): Promise<(rows: readonly Row[]) => void>
  /** Returns a view that is redrawn in place. */
  liveView(): Promise<LiveView>
  bell(): void
  /** Writes a message to stderr, unless `--json` is given. */
  note(text: Text): void
  /** Writes a message to stderr, also with `--json`. */
  say(text: Text, layout?: Layout): void
  /** Shows a text in the status line; `undefined` removes the text of this part. */
  setStatus(part: string, text: string | undefined): void
  progress(options: ProgressOptions): Progress
  countdown(): Countdown
  /** Returns `undefined` at the end of input. */
  prompt(question: string): Promise<string | undefined>
  /** Prompts for one of several values. The reply may be any text. */
  choose(question: string, choices: readonly string[]): Promise<string | undefined>
  /** Prompts without showing the reply. */
  promptSecret(question: string): Promise<string | undefined>
  /**
   * Only `y` and `yes` confirm. The end of input does not confirm.
   * @param about as in {@link Confirmation}
   */
  ask(question: string, about?: Text): Promise<boolean>
  /**
   * Returns if the user confirms, or with `--yes`.
   * @throws CliError `not_confirmed`, or `usage` if nobody can reply
   */
  confirm(question: string, confirmation?: Confirmation): Promise<void>
  /** Removes the status line. Later messages are still printed. */
  end(): void
}

const BELL = '\u0007'

export function createTerminal(system: System, flags: TerminalFlags): Terminal {
  const { env, stdout, stderr } = system
  const clock: Clock = clockOf(system)
  const line = createStatusLine(system)

  function write(text: string): void {
    line.clear()
    if (text !== '') stdout.write(text)
  }

  async function prompt(question: string, isSecret: boolean): Promise<string | undefined> {
    const { promptLine } = await import('./prompt.ts')
    return promptLine(system, { question: printable(question), isSecret })
  }

  /** Prints a text that ends with a newline, paged if it is longer than the screen. */
  async function printLong(text: string): Promise<number> {
    const { page } = system
    if (page && stdout.isTTY) {
      const { needsPager, pagerOf } = await import('./pager.ts')
      const pager = pagerOf(env)
      line.clear()
      if (pager && needsPager(text, terminal.screen) && (await page(pager, text))) return EXIT.ok
    }
    write(text)
    return EXIT.ok
  }

  const terminal: Terminal = {
    flags,
    isLive: line.isLive,
    get screen() {
      return screenOf(system, stdout)
    },
    canRewrite: stdout.isTTY === true && env.TERM !== 'dumb',
    get canPrompt() {
      // Opening stdin takes time, so the other conditions are first.
      const isAllowed = !flags['no-input'] && !flags['password-stdin'] && stderr.isTTY === true
      return isAllowed && system.stdin.isTTY === true
    },
    print(data, render, { isVerbatim } = { isVerbatim: false }) {
      const { screen } = terminal
      if (flags.json) write(`${jsonText(data, 2)}\n`)
      else {
        const text = isVerbatim ? renderLines(linesOf(render()), screen) : renderMessage(render(), screen)
        if (text !== '') write(`${text}\n`)
      }
      return EXIT.ok
    },
    printLine(data, render) {
      write(`${flags.json ? jsonText(data) : renderLines([render()], terminal.screen)}\n`)
    },
    async printRows(output) {
      const { renderRows } = await import('./rows.ts')
      const text = renderRows(output, flags, terminal.screen)
      if (output.rows.length === 0 && output.empty !== undefined) terminal.note(output.empty)
      return printLong(text)
    },
    async printTables(output, tables) {
      if (flags.json || flags.csv) return terminal.printRows(output)
      const { renderRows } = await import('./rows.ts')
      return printLong(tables.map((table) => renderRows(table, flags, terminal.screen)).join('\n'))
    },
    async printChart({ charts, ...output }) {
      if (flags.json || flags.csv || output.rows.length === 0) return terminal.printRows(output)
      const { renderChart } = await import('./chart.ts')
      const { screen } = terminal
      return printLong(`${charts.map((bars) => renderLines(renderChart(bars, screen), screen)).join('\n\n')}\n`)
    },
    printFile(content) {
      write(stdout.isTTY ? safeContent(content) : content)
      return EXIT.ok
    },
    async rowStream(columns) {
      const { createRowStream } = await import('./rows.ts')
      const render = createRowStream(columns, flags, terminal.screen)
      return (rows) => {
        const text = render(rows)
        if (text !== '') write(text)
      }
    },
    async liveView() {
      const { createLiveView } = await import('./live-view.ts')
      return createLiveView(system, line)
    },
    bell() {
      if (terminal.canRewrite) stdout.write(BELL)
    },
    note(text) {
      if (!flags.json) terminal.say(text)
    },
    say(text, { isVerbatim } = { isVerbatim: false }) {
      if (text.length === 0) return
      if (!isVerbatim) return line.say(text)
      line.clear()
      stderr.write(`${renderLines(linesOf(text), screenOf(system, stderr))}\n`)
    },
    setStatus: line.set,
    progress: (options) => createProgress(line, clock, options),
    countdown: () => createCountdown(line, clock),
    prompt: (question) => prompt(question, false),
    choose: (question, choices) => prompt(`${question} (${choices.join(', ')}): `, false),
    promptSecret: (question) => prompt(question, true),
    async ask(question, about = []) {
      terminal.say(about)
      return /^y(es)?$/i.test((await terminal.prompt(`${question}? [y/N] `))?.trim() ?? '')
    },
    async confirm(question, { typed, about = [] } = {}) {
      if (flags.yes || !terminal.canPrompt) terminal.note(about)
      if (flags.yes) return
      if (!terminal.canPrompt)
        throw usageError(`Confirmation required: ${question}?`, 'To confirm without a prompt, add --yes.')
      terminal.say(about)
      const isConfirmed =
        typed === undefined
          ? await terminal.ask(question)
          : (await terminal.prompt(`${question}? Type ${typed} to confirm: `))?.trim() === typed
      if (!isConfirmed)
        throw new CliError({ code: 'not_confirmed', message: 'Nothing was changed.', exit: EXIT.failure })
    },
    end: line.end,
  }
  return terminal
}
