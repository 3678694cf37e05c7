import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * Variables of a child process. The child does not inherit the other variables of this process, because a proxy or a
 * FISH_ variable would change the outcome.
 */
export type ChildEnv = Readonly<Record<string, string>>

/** The exit status and the output of a child process. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a child process with only `PATH`, `HOME` and the given variables. */
export function start(
  command: string,
  args: readonly string[],
  env: ChildEnv = {},
  cwd?: string,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(command, args, { cwd, env: { PATH, HOME, ...env }, stdio: [stdin, 'pipe', 'pipe'] })
}

/** Runs a child process until it ends. Kills the child after a timeout, one minute by default. */
export async function run(
  command: string,
  args: readonly string[],
  env?: ChildEnv,
  cwd?: string,
  { input, maxMs = 60_000 }: { readonly input?: string; readonly maxMs?: number } = {},
): Promise<Ended> {
  const child = start(command, args, env, cwd, input === undefined ? 'ignore' : 'pipe')
  child.stdin?.end(input)
  const timer = setTimeout(() => child.kill('SIGKILL'), maxMs)
  const closed = once(child, 'close') as Promise<[number | null]>
  try {
    const [[status], stdout, stderr] = await Promise.all([closed, readAll(child.stdout), readAll(child.stderr)])
    return { status, stdout, stderr }
  } finally {
    clearTimeout(timer)
  }
}

function readAll(stream: ChildProcess['stdout']): Promise<string> {
  return stream ? text(stream) : Promise.resolve('')
}
