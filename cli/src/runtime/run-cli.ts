import type { Context, Role, System } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import { hasNoColourFlag } from '../core/format.ts'
import { missingCommand, unknownCommand } from '../help/closest.ts'
import { helpWords, isVersionRequest, versionText } from '../help/static-pages.ts'
import type { Command } from '../kit/define.ts'
import { readManifest } from '../package.ts'
import { COMMANDS } from './commands.ts'
import { createCommandContext, createContext } from './context.ts'

/** Runs a command line and returns the exit status. Never throws or ends the process. */
export async function runCli(argv: readonly string[], system: System): Promise<number> {
  const context = createContext(hasNoColourFlag(argv) ? withoutColours(system) : system, argv)
  try {
    return await dispatch(argv, context)
  } catch (error) {
    const { reportError } = await import('./report-error.ts')
    return await reportError(context, { argv, error })
  } finally {
    context.line.end()
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<number> {
  const [first] = argv
  if (isVersionRequest(argv)) {
    context.stdout.write(versionText(readManifest()))
    return EXIT.ok
  }
  const words =
    helpWords(argv) ?? (first !== undefined && COMMANDS.isTopic(first) && argv.length === 1 ? argv : undefined)
  if (words) {
    const { showHelp } = await import('../help/help.ts')
    return showHelp(COMMANDS, words, context)
  }
  const found = COMMANDS.find(argv)
  if (!found) {
    if (first?.startsWith('-')) throw missingCommand(argv)
    throw unknownCommand({ words: argv, ids: COMMANDS.ids, topics: Object.keys(COMMANDS.topics) })
  }
  const { [found.id]: command } = await COMMANDS.load([found.id])
  return runCommand(context, { ...(command as Command), id: found.id }, argv, found.rest)
}

async function runCommand(
  context: Context,
  command: Command & { readonly id: string },
  argv: readonly string[],
  rest: readonly string[],
) {
  let role: Role | undefined
  try {
    const { parseInput } = await import('./parse.ts')
    const input = await parseInput(command, rest)
    role = command.role(input)
    return await command.run(createCommandContext(context, input))
  } catch (error) {
    const { reportError } = await import('./report-error.ts')
    return reportError(context, { argv, command, role, error })
  }
}

function withoutColours(system: System): System {
  const env = { ...system.env, NO_COLOR: '1' }
  return Object.create(system, { env: { value: env } })
}
