import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { run } from './child-process.ts'

/** A command that starts a program. */
export interface Tool {
  readonly command: string
  readonly args: readonly string[]
}

/** The folder of the examples. `PROJECT` is the folder of the whole project. */
export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Java starts in two thirds of the time without optimizations, which do not pay off for code that runs once. */
const FAST_START = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** Lines of the game's chat that report a gold Salmon and a crab. */
export const CHAT =
  '[12:00:01] [Render thread/INFO]: [CHAT] GREAT CATCH! You caught a Salmon with a length of 31.5cm.\n' +
  '[12:00:02] [Render thread/INFO]: [CHAT] <Steve> nice fish!\n' +
  '[12:00:03] [Render thread/INFO]: [CHAT] FISHING \u25b6 You fished up a Crab!\n'

/** Finds a Java that can run source files. This needs a JDK (17 or later), since a JRE contains no compiler. */
export async function findJava(): Promise<Tool | undefined> {
  return (await works('javac', ['-version'])) ? { command: 'java', args: FAST_START } : undefined
}

/** Finds a Python that has the package pyca/cryptography. */
export async function findPython(): Promise<Tool | undefined> {
  for (const command of ['python3', '/usr/bin/python3']) {
    if (await works(command, ['-c', 'import cryptography.fernet'])) return { command, args: [] }
  }
  return undefined
}

/** Finds the built command line. */
export function findCli(): Tool | undefined {
  const program = `${PROJECT}cli/bin/run.js`
  const isBuilt = existsSync(program) && existsSync(`${PROJECT}cli/dist`)
  return isBuilt ? { command: process.execPath, args: [program] } : undefined
}

/** Returns the tool. If it is missing, the test fails if `CI=true`, and is skipped with a printed reason otherwise. */
export function need(context: TestContext, tool: Tool | undefined, missing: string): Tool {
  if (tool) return tool
  if (process.env.CI === 'true') throw new Error(missing)
  process.stderr.write(`skipped "${context.task.name}": ${missing}\n`)
  return context.skip(missing)
}

async function works(command: string, args: readonly string[]): Promise<boolean> {
  try {
    return (await run(command, args)).status === 0
  } catch {
    return false
  }
}
