import { Command, type Config, Errors, Flags, type Interfaces } from '@oclif/core'
import { useColours } from './colours.ts'
import { EXIT } from './exit.ts'
import { type Io, processIo } from './io.ts'
import { ioOf } from './oclif-config.ts'
import { parseFailure } from './parse-failure.ts'

/** What every command has: `--json`, surroundings, and one way to print. Failures are thrown and told in one place. */
export abstract class FishCommand extends Command {
  static override baseFlags: Interfaces.FlagInput = {
    json: Flags.boolean({ summary: 'Print one JSON document, also when it fails.', helpGroup: 'GLOBAL' }),
  }

  readonly io: Io

  constructor(argv: string[], config: Config) {
    super(argv, config)
    this.io = ioOf(config) ?? processIo()
  }

  /** Does the work and answers the exit status. */
  abstract override run(): Promise<number>

  /** Runs the command as oclif does, for {@link runCli}. */
  execute(): Promise<number> {
    return this._run()
  }

  // oclif would print its own configuration here, with flags and their values in it. Its errors are those of parsing.
  protected override async catch(error: Error): Promise<never> {
    throw error instanceof Errors.CLIError ? parseFailure(error, this.id ?? '') : error
  }

  /** Prints the result: as JSON when asked, else the lines that `render` makes. */
  protected print(json: boolean | undefined, data: unknown, render: (colours: boolean) => string): number {
    const text = json ? JSON.stringify(data, undefined, 2) : render(useColours(this.io.env, this.io.stdout))
    if (text !== '') this.io.stdout.write(`${text}\n`)
    return EXIT.ok
  }

  /** Tells a person something that is no data: on stderr, and not with `--json`. */
  protected note(json: boolean | undefined, text: string): void {
    if (!json) this.io.stderr.write(`${text}\n`)
  }
}
