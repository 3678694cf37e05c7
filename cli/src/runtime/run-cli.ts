import { commandIds, findCommand, isTopic, loadCommands } from '../commands/index.ts'
import type { Context, System } from '../core/context.ts'
import { type CliError, EXIT, usageError } from '../core/errors.ts'
import { closestCommand, meantHint } from '../help/closest.ts'
import { asksForVersion, helpWords, versionText } from '../help/static-pages.ts'
import { hasNoColourFlag } from '../output/screen.ts'
import { readManifest } from '../package.ts'
import { createContext } from './context.ts'

/**
 * Runs one command line and answers its exit status. Nothing is thrown, and the process is not ended.
 * @example const status = await runCli(['list', 'fish', 'Alex', '--json'], processIo())
 */
export async function runCli(argv: readonly string[], surroundings: System): Promise<number> {
  const io = createContext(hasNoColourFlag(argv) ? withoutColours(surroundings) : surroundings)
  try {
    return await dispatch(argv, io)
  } catch (error) {
    return (await import('./report-error.ts')).reportError(io, { argv, error })
  } finally {
    io.line.end()
  }
}

async function dispatch(argv: readonly string[], io: Context): Promise<number> {
  const [first] = argv
  if (asksForVersion(argv)) {
    io.stdout.write(versionText(readManifest()))
    return EXIT.ok
  }
  const found = findCommand(argv)
  const asked = helpWords(argv) ?? (first !== undefined && isTopic(first) && argv.length === 1 ? argv : undefined)
  if (asked) {
    const { showHelp } = await import('../help/help.ts')
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
  try {
    return await command.execute()
  } catch (error) {
    return (await import('./report-error.ts')).reportError(io, { argv, command, error })
  }
}

function withoutColours(io: System): System {
  const env = { ...io.env, NO_COLOR: '1', FORCE_COLOR: undefined }
  return Object.create(io, { env: { value: env } })
}

/** Only what can be a command is repeated: anything else may be a secret in the wrong place. */
function unknownCommand(argv: readonly string[]): CliError {
  const [first = '', second = ''] = argv
  if (first.startsWith('-')) return usageError('The command comes first, flags after it.', meantHint(undefined))
  const meant = closestCommand(argv, commandIds())
  if (isTopic(first)) {
    const hint = meantHint(meant, `See: fish-cli ${first} --help`)
    return usageError(`There is no such command of "fish-cli ${first}".`, hint)
  }
  const hint = meantHint(meant)
  const plain = /^[a-z]{1,16}$/.test(first) && second !== first
  return usageError(plain ? `There is no command "${first}".` : 'There is no such command.', hint)
}
