import type { Interfaces } from '@oclif/core'
import { Help } from '@oclif/core/help'
import { usageError } from './cli-error.ts'
import { useColours } from './colours.ts'
import { commandIds, loadCommands, topics } from './command-list.ts'
import { EXIT } from './exit.ts'
import { EXIT_CODES_PAGE, exitCodesPage } from './exit-codes.ts'
import { openConfig } from './oclif-config.ts'
import type { RunIo } from './run-io.ts'
import { pageOf } from './static-pages.ts'

class CliHelp extends Help {
  readonly #write: (text: string) => void

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions>, write: (text: string) => void) {
    super(config, options)
    this.#write = write
  }

  protected override log(...lines: string[]): void {
    this.#write(`${lines.join(' ')}\n`)
  }
}

/** Prints the help of a command, of a topic, of the exit codes, or of the program. */
export async function showHelp(words: readonly string[], io: RunIo): Promise<number> {
  const id = pageOf(words, new Set([...commandIds(), ...Object.keys(topics()), EXIT_CODES_PAGE]))
  if (id === undefined) throw usageError('There is no such command.', 'See: fish-cli --help')
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
  if (id === '') io.stdout.write(`\nWhat the exit status says: fish-cli help ${EXIT_CODES_PAGE}\n`)
  return EXIT.ok
}

/** Every page of help, by the words that it answers. */
export function helpPageIds(): readonly string[] {
  return ['', ...new Set([...commandIds(), ...Object.keys(topics()), EXIT_CODES_PAGE])]
}
