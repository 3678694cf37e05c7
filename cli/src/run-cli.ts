import { type CliError, usageError } from './cli-error.ts'
import { findCommand, isTopic, loadCommands } from './command-list.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'
import { asksForJson } from './output/format.ts'
import { readManifest } from './package.ts'
import { forRun, type RunIo } from './run-io.ts'
import { helpWords, versionText } from './static-pages.ts'

/**
 * Runs one command line and answers its exit status. Nothing is thrown, and the process is not ended.
 * @example const status = await runCli(['list', 'fish', 'Alex', '--json'], processIo())
 */
export async function runCli(argv: readonly string[], surroundings: Io): Promise<number> {
  const io = forRun(surroundings)
  try {
    return await dispatch(argv, io)
  } catch (error) {
    io.line.end()
    const [{ describeFailure }, { failureJson, failureText }] = await Promise.all([
      import('./failure.ts'),
      import('./render-failure.ts'),
    ])
    const failure = describeFailure(error)
    if (asksForJson(argv)) io.stdout.write(failureJson(failure))
    else io.stderr.write(failureText(failure))
    return failure.exit
  } finally {
    io.line.end()
  }
}

async function dispatch(argv: readonly string[], io: RunIo): Promise<number> {
  const [first] = argv
  if (first === '--version') {
    io.stdout.write(versionText(readManifest()))
    return EXIT.ok
  }
  const found = findCommand(argv)
  const asked = helpWords(argv) ?? (first !== undefined && isTopic(first) && argv.length === 1 ? argv : undefined)
  if (asked) {
    const { showHelp } = await import('./help.ts')
    return showHelp(asked, io)
  }
  if (!found) throw unknownCommand(argv)
  const [{ runningConfig }, { [found.id]: Type }] = await Promise.all([
    import('./running-config.ts'),
    loadCommands([found.id]),
  ])
  if (!Type) throw unknownCommand(argv)
  const command = new Type([...found.rest], runningConfig(io))
  command.id = found.id
  return command.execute()
}

/** Only what can be a command is repeated: anything else may be a secret in the wrong place. */
function unknownCommand([first = '', second = '']: readonly string[]): CliError {
  const hint = 'See what there is: fish-cli --help'
  if (isTopic(first))
    return usageError(`There is no such command of "fish-cli ${first}".`, `See: fish-cli ${first} --help`)
  if (first.startsWith('-')) return usageError('The command comes first, flags after it.', hint)
  const plain = /^[a-z]{1,16}$/.test(first) && second !== first
  return usageError(plain ? `There is no command "${first}".` : 'There is no such command.', hint)
}
