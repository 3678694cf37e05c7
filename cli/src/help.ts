import { Help, type Interfaces } from '@oclif/core'
import { usageError } from './cli-error.ts'
import { useColours } from './colours.ts'
import { findCommand, loadCommands } from './command-list.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { openConfig } from './oclif-config.ts'

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

/** Prints the help of a command, of a topic, or of the program. */
export async function showHelp(words: readonly string[], io: Io): Promise<number> {
  const found = findCommand(words)
  const topic = !found && words[0] === 'user'
  if (!found && !topic && words.length > 0) throw usageError('There is no such command.', 'See: fish-cli --help')
  const config = await openConfig(await loadCommands(found ? [found.id] : undefined), io)
  const help = new CliHelp(config, { stripAnsi: !useColours(io.env, io.stdout) }, (text) => io.stdout.write(text))
  await help.showHelp(found ? found.id.split(':') : topic ? ['user'] : [])
  return EXIT.ok
}
