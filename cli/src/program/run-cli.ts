import { type EarlyFlags, earlyFlags, helpWords, isVersionRequest } from '../core/argv.ts'
import { EXIT } from '../core/errors.ts'
import type { Role, System } from '../core/system.ts'
import type { Command } from '../kit/define.ts'
import { readManifest, versionText } from '../package.ts'
import { createSession } from '../session/create-session.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { COMMANDS } from './commands.ts'

/** Runs a command line and returns the exit status. Never throws or ends the process. */
export async function runCli(argv: readonly string[], system: System): Promise<number> {
  const early = earlyFlags(argv)
  const coloured = early['no-color'] ? withoutColours(system) : system
  try {
    return await dispatch(argv, coloured, early)
  } catch (error) {
    const { reportError } = await import('./report-error.ts')
    return await reportError(coloured, { ...early, error })
  }
}

async function dispatch(argv: readonly string[], system: System, early: EarlyFlags): Promise<number> {
  const [first] = argv
  if (isVersionRequest(argv)) {
    system.stdout.write(versionText(readManifest()))
    return EXIT.ok
  }
  const words =
    helpWords(argv) ?? (first !== undefined && argv.length === 1 && COMMANDS.isTopic(first) ? argv : undefined)
  if (words) {
    const { showHelp } = await import('./help.ts')
    return showHelp(COMMANDS, words, system)
  }
  const found = COMMANDS.find(argv)
  if (!found) {
    const { missingCommand, unknownCommand } = await import('./closest.ts')
    if (first?.startsWith('-')) throw missingCommand(argv)
    throw unknownCommand({ words: argv, ids: COMMANDS.ids, topics: Object.keys(COMMANDS.topics) })
  }
  const { [found.id]: command } = await COMMANDS.load([found.id])
  return runCommand(system, { ...(command as Command), id: found.id }, { argv, rest: found.rest, early })
}

interface CommandLine {
  readonly argv: readonly string[]
  /** The words after the command. */
  readonly rest: readonly string[]
  readonly early: EarlyFlags
}

async function runCommand(
  system: System,
  command: Command & { readonly id: string },
  { argv, rest, early }: CommandLine,
): Promise<number> {
  let role: Role | undefined
  let end = () => {}
  try {
    const { parseInput } = await import('./parse.ts')
    const { args, flags } = await parseInput(command, rest)
    role = command.role({ args, flags })
    const terminal = createTerminal(system, flags)
    end = terminal.end
    const session = createSession(system, terminal, { argv, flags })
    return await command.run({ session, terminal, args, flags })
  } catch (error) {
    // The status line would overwrite the report.
    end()
    const { reportError } = await import('./report-error.ts')
    return reportError(system, { ...early, command, role, error })
  } finally {
    end()
  }
}

function withoutColours(system: System): System {
  const env = { ...system.env, NO_COLOR: '1' }
  return Object.create(system, { env: { value: env } })
}
