import { type CliError, usageError } from './cli-error.ts'
import { findCommand, loadCommands } from './command-list.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { readManifest } from './package.ts'

/**
 * Runs one command line and answers its exit status. Nothing is thrown, and the process is not ended.
 * @example const status = await runCli(['list', 'fish', 'Alex', '--json'], processIo())
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    const [{ describeFailure }, { failureJson, failureText }] = await Promise.all([
      import('./failure.ts'),
      import('./render-failure.ts'),
    ])
    const failure = describeFailure(error)
    if (flagsOf(argv).includes('--json')) io.stdout.write(failureJson(failure))
    else io.stderr.write(failureText(failure))
    return failure.exit
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first] = argv
  if (first === '--version') {
    const { name, version } = readManifest()
    io.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
    return EXIT.ok
  }
  const found = findCommand(argv)
  if (
    flagsOf(argv).includes('--help') ||
    first === undefined ||
    first === 'help' ||
    (!found && first === 'user' && argv.length === 1)
  ) {
    const { showHelp } = await import('./help.ts')
    return showHelp(
      argv.filter((word) => !word.startsWith('-') && word !== 'help'),
      io,
    )
  }
  if (!found) throw unknownCommand(argv)
  const { openConfig } = await import('./oclif-config.ts')
  const commands = await loadCommands([found.id])
  const Type = commands[found.id]
  if (!Type) throw unknownCommand(argv)
  return new Type([...found.rest], await openConfig(commands, io)).execute()
}

/** Words before `--`: behind it, nothing is a flag. */
function flagsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Only what can be a command is repeated: anything else may be a secret in the wrong place. */
function unknownCommand([first = '', second = '']: readonly string[]): CliError {
  const hint = 'See what there is: fish-cli --help'
  if (first === 'user') return usageError('There is no such command of "fish-cli user".', 'See: fish-cli user --help')
  if (first.startsWith('-')) return usageError('The command comes first, flags after it.', hint)
  const plain = /^[a-z]{1,16}$/.test(first) && second !== first
  return usageError(plain ? `There is no command "${first}".` : 'There is no such command.', hint)
}
