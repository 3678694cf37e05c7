import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { PROGRAM } from './pseudo-terminal.ts'

/** `fish-cli` in a separate process, which is killed after the test. */
export interface Program {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the exit code, or with `null` if a signal ended the process. */
  readonly closed: Promise<number | null>
  /** Resolves when stdout or stderr matches. Rejects if the process ends first. */
  until(pattern: RegExp): Promise<RegExpExecArray>
}

/** Starts `fish-cli` with `PATH` as the only variable of the current environment. */
export function launch(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  how: { readonly detached?: boolean } = {},
): Program {
  const [node, file] = PROGRAM
  const child = spawn(node, [file, ...argv], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...how,
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece
    })
  }
  const closed = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const streams = [child.stdout, child.stderr]
      const settle = () => {
        for (const stream of streams) stream.off('data', look)
      }
      const look = () => {
        const found = pattern.exec(output.stdout + output.stderr)
        if (!found) return
        settle()
        resolve(found)
      }
      for (const stream of streams) stream.on('data', look)
      look()
      closed.then(() => {
        look()
        settle()
        reject(new Error(`It ended early: ${output.stderr}`))
      }, reject)
    })
  return { child, stdout: () => output.stdout, stderr: () => output.stderr, closed, until }
}

/** Serves a data folder in a separate process. Resolves with the URL when the server is ready. */
export async function serveFolder(folder: string, env: Readonly<Record<string, string>> = {}) {
  const program = launch(['serve'], {
    FISH_STORAGE: `file:${folder}`,
    FISH_PORT: '0',
    FISH_LOG: 'silent',
    FISH_RATE_LIMIT: '1000000',
    FISH_ADMIN_PASSWORD: 'canary-admin-password',
    ...env,
  })
  const [, url = ''] = await program.until(/^listening on (\S+)$/m)
  const stop = async () => {
    program.child.kill('SIGTERM')
    return program.closed
  }
  return { ...program, url, stop }
}
