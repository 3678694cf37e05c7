import type { Interfaces } from '@oclif/core'
import { Help } from '@oclif/core/help'
import { commandIds, loadCommands, topics } from '../commands/index.ts'
import type { Context } from '../core/context.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { useColours } from '../output/screen.ts'
import { closestCommand, meantHint } from './closest.ts'
import { FishCommandHelp } from './command-help.ts'
import { EXIT_CODES_PAGE, exitCodesPage } from './exit-codes.ts'
import { openConfig } from './oclif-config.ts'
import { commandLists, FIRST_STEPS, type HelpLine } from './root-help.ts'
import { pageOf } from './static-pages.ts'

class CliHelp extends Help {
  readonly #write: (text: string) => void
  protected override readonly CommandHelpClass = FishCommandHelp

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions>, write: (text: string) => void) {
    super(config, options)
    this.#write = write
  }

  protected override log(...lines: string[]): void {
    this.#write(`${lines.join(' ')}\n`)
  }

  protected override async showRootHelp(): Promise<void> {
    const { bin, pjson } = this.config
    const summaryOf = (id: string) => this.config.findCommand(id)?.summary ?? ''
    const lists = commandLists({ ids: commandIds(), topics: topics(), summaryOf })
    const sections = [
      this.wrap(`${pjson.description}.`, 0),
      this.section('USAGE', [`$ ${bin} COMMAND [FLAGS]`, `$ ${bin} COMMAND --help`].join('\n')),
      this.section('START HERE', this.#list(FIRST_STEPS.map(([command, what]) => [`$ ${command}`, what]))),
      ...lists.map(({ title, lines }) => this.section(title, this.#list(lines))),
      this.section(
        'MORE',
        this.#list([
          [`${bin} COMMAND --help`, 'flags and examples of a command'],
          [`${bin} help ${EXIT_CODES_PAGE}`, 'what the exit status says'],
          ['man fish-cli', 'environment variables and files, where manual pages are installed'],
        ]),
      ),
    ]
    this.log(sections.join('\n\n'))
  }

  #list(lines: readonly HelpLine[]): string {
    return this.renderList(
      lines.map(([left, right]) => [left, right]),
      { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false },
    )
  }
}

/** Prints the help of a command, of a topic, of the exit codes, or of the program. */
export async function showHelp(words: readonly string[], io: Context): Promise<number> {
  const id = pageOf(words, new Set(helpPageIds()))
  if (id === undefined) throw noSuchPage(words)
  const colours = useColours(io.env, io.stdout)
  if (id === EXIT_CODES_PAGE) {
    io.stdout.write(exitCodesPage(colours))
    return EXIT.ok
  }
  // What a command that is a topic too has under it belongs to its page.
  const needed = id === '' ? undefined : commandIds().filter((each) => each === id || each.startsWith(`${id}:`))
  const config = await openConfig(await loadCommands(needed))
  const help = new CliHelp(config, { stripAnsi: !colours }, (text) => io.stdout.write(text))
  await help.showHelp(id === '' ? [] : id.split(':'))
  return EXIT.ok
}

/** Every page of help, by the words that it answers. */
export function helpPageIds(): readonly string[] {
  return ['', ...new Set([...commandIds(), ...Object.keys(topics()), EXIT_CODES_PAGE])]
}

function noSuchPage(words: readonly string[]): Error {
  const meant = closestCommand(words, [...commandIds(), EXIT_CODES_PAGE])
  return usageError('There is no such command.', meantHint(meant && `help ${meant}`))
}
