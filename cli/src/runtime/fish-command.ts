import { Command, type Config, Errors, Flags, type Interfaces } from '@oclif/core'
import type { Context, Role } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import type { Bar } from '../output/chart.ts'
import { type Column, selectColumns } from '../output/columns.ts'
import { FORMATS, formatOf, type OutputFlags } from '../output/format.ts'
import { type RowsOutput, renderRows } from '../output/rows.ts'
import { type Screen, screenOf, useColours } from '../output/screen.ts'
import { jsonText, wrapMessage } from '../output/text.ts'
import { refuseBooleanValues } from './boolean-values.ts'
import { createContext, processSystem } from './context.ts'
import { parseFailure } from './parse-failure.ts'
import { ioOf } from './running-config.ts'
import { settledFlags } from './settled-flags.ts'

/**
 * What every command has: `--json`, surroundings, and ways to print. Failures are thrown and told in one place.
 *
 * A command that prints rows takes `...outputFlags` among its flags and ends with
 * `return this.printRows(flags, { rows, columns, document })`; with `this.checkOutput(flags, columns)` first, a wrong
 * `--fields` costs no request. Anything else ends with `return this.print(flags.json, data, (colours) => text)`.
 * After {@link parse}, `flags.json` is also true with `--output json`.
 */
export abstract class FishCommand extends Command {
  static override baseFlags: Interfaces.FlagInput = {
    json: Flags.boolean({ summary: 'Print one JSON document, also when it fails.', helpGroup: 'GLOBAL' }),
    // Heard before a command is made: help and failures have colours too.
    'no-color': Flags.boolean({ summary: 'Use no colours (NO_COLOR).', helpGroup: 'GLOBAL' }),
  }

  /** Whose rights it takes, for what failures say. One that can be either says it once it knows. @default 'player' */
  needs: Role = 'player'

  /** What `--output` can be, in a command that has it. @default the forms of rows */
  protected readonly formats: readonly string[] = FORMATS

  readonly io: Context

  constructor(argv: string[], config: Config) {
    super(argv, config)
    this.io = ioOf(config) ?? createContext(processSystem())
  }

  /** Does the work and answers the exit status. */
  abstract override run(): Promise<number>

  /** Runs the command, for {@link runCli}, without what oclif does around it: deprecations, debugging, its own exits. */
  async execute(): Promise<number> {
    try {
      return await this.run()
    } catch (error) {
      return this.catch(error as Error)
    }
  }

  // oclif would print its own configuration here, with flags and their values in it. Its errors are those of parsing.
  protected override async catch(error: Error): Promise<never> {
    if (!(error instanceof Errors.CLIError)) throw error
    throw parseFailure(error, this.id ?? '', Object.keys({ ...this.ctor.flags, ...this.ctor.baseFlags, help: true }))
  }

  protected override async parse<
    F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    refuseBooleanValues(argv ?? this.argv, { ...options?.flags, ...options?.baseFlags })
    const parsed = await super.parse(options, argv)
    const hasOutput = options?.flags !== undefined && 'output' in options.flags
    const settled = await settledFlags(this.io, parsed.flags, { hasOutput, formats: this.formats })
    return { ...parsed, flags: { ...parsed.flags, ...settled } }
  }

  /**
   * Whether FISH_OUTPUT or the setting say that this command prints JSON, its failures too. They stand for `--output`, so
   * that a command without it hears neither: a script that reads its text goes on to.
   */
  async presetsJson(): Promise<boolean> {
    // oclif leaves it undefined for a command without flags of its own.
    if (!('output' in (this.ctor.flags ?? {}))) return false
    const { defaultOutput } = await import('../config/config-file.ts')
    try {
      return defaultOutput(this.io) === 'json'
    } catch {
      // The wrong value is the failure that is told.
      return false
    }
  }

  /** What stdout can show. */
  protected get screen(): Screen {
    return screenOf(this.io, this.io.stdout)
  }

  /**
   * Prints the result: as JSON when asked, else the lines that `render` makes, broken between words where the terminal is
   * narrower; `isVerbatim` ones, which are for copying, never.
   */
  protected print(
    json: boolean | undefined,
    data: unknown,
    render: (colours: boolean) => string,
    { isVerbatim = false }: { readonly isVerbatim?: boolean } = {},
  ): number {
    const lines = () => render(useColours(this.io.env, this.io.stdout))
    const text = json ? jsonText(data, 2) : isVerbatim ? lines() : wrapMessage(lines(), this.screen.width)
    if (text !== '') this.#write(`${text}\n`)
    return EXIT.ok
  }

  /** Says what is wrong with `--output` and `--fields` before anything is done. @throws CliError */
  protected checkOutput<Row extends object>(flags: OutputFlags, columns: readonly Column<Row>[]): void {
    formatOf(flags)
    selectColumns(columns, flags.fields)
  }

  /** Prints rows in the form that flags ask for; a long table on a terminal goes through a pager. */
  protected async printRows<Row extends object>(flags: OutputFlags, output: RowsOutput<Row>): Promise<number> {
    const text = renderRows(output, flags, this.screen)
    if (output.rows.length === 0 && output.empty !== undefined) this.note(flags.json, output.empty)
    return this.printLong(flags, text)
  }

  /** Prints bars instead of a table; every other form has the rows behind them. */
  protected async printChart<Row extends object>(
    flags: OutputFlags,
    { bars, ...output }: RowsOutput<Row> & { readonly bars: readonly Bar[] },
  ): Promise<number> {
    if (formatOf(flags) !== 'table' || flags.fields !== undefined || output.rows.length === 0) {
      return this.printRows(flags, output)
    }
    const { renderChart } = await import('../output/chart.ts')
    return this.printLong(flags, `${renderChart(bars, this.screen)}\n`)
  }

  /** Prints a text that has its line end, through a pager where it is longer than the screen. */
  protected async printLong(flags: OutputFlags, text: string): Promise<number> {
    const { page, env, stdout } = this.io
    if (page && stdout.isTTY && !flags['no-pager']) {
      const { needsPager, pagerOf } = await import('../output/pager.ts')
      const pager = pagerOf(env)
      this.io.line.clear()
      if (pager && needsPager(text, this.screen) && (await page(pager, text))) return EXIT.ok
    }
    if (text !== '') this.#write(text)
    return EXIT.ok
  }

  /** Tells a person something that is no data: on stderr, and not with `--json`. */
  protected note(json: boolean | undefined, text: string): void {
    if (!json) this.io.line.say(text)
  }

  #write(text: string): void {
    this.io.line.clear()
    this.io.stdout.write(text)
  }
}
