import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { PROGRAM } from './pseudo-terminal.ts'

/** The result of a process. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process with a stdin that the test controls. The process is killed after the test. */
export interface Fed {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
}

/**
 * Starts a command with `PATH` as the only variable of the current environment. stdin stays open until the test ends
 * it.
 */
export function start([file = '', ...args]: readonly string[], env: Readonly<Record<string, string | undefined>>): Fed {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOME: '/dev/null/home', FISH_SECRET_STORE: 'file', ...env },
  })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      text[name] += piece
    })
  }
  // The process may end before it has read the whole input.
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, ...text }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended }
}

/** Starts `fish-cli`. */
export function startFish(argv: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Fed {
  return start([...PROGRAM, ...argv], env)
}

/** Starts a line in a POSIX shell, in which `fish` stands for `fish-cli`. */
export function startShell(line: string, env: Readonly<Record<string, string | undefined>> = {}): Fed {
  return start(['/bin/sh', '-c', `fish() { '${PROGRAM.join("' '")}' "$@"; }; ${line}`], env)
}

/** Runs a line as {@link startShell} does, and waits until the shell ends. */
export function shell(line: string, env: Readonly<Record<string, string | undefined>> = {}): Promise<Ended> {
  return startShell(line, env).ended
}
