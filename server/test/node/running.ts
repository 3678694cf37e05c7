import {
  createScryptHasher,
  type RunningServer,
  readConfig,
  type StartOptions,
  serve,
  startServer,
} from '@fish-crab/server'
import { onTestFinished } from 'vitest'
import { createMemoryStream, type MemoryStream } from './memory-stream.ts'

const PATIENCE_MS = 500
const CHEAP = { N: 16, r: 1, p: 1 }
const SILENCE = { info() {}, warn() {}, error() {} }

/** Starts a server with a cheap password hash on a free port. The server stops when the test ends. */
export async function startTestServer(
  env: Readonly<Record<string, string>> = {},
  options: Partial<StartOptions> = {},
): Promise<RunningServer> {
  const config = readConfig({ env: { FISH_STORAGE: 'memory:', FISH_PORT: '0', ...env } })
  const passwords = createScryptHasher(CHEAP)
  const announceAdmin = () => {}
  const defaults = { logger: SILENCE, version: '1.2.3', passwords, announceAdmin }
  const server = await startServer(config, { ...defaults, ...options })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= server.close()
    return closed
  }
  // Waits only briefly, since a separate test checks how long a stop may take.
  onTestFinished(() =>
    Promise.race([close(), new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]),
  )
  return { ...server, close }
}

/** A run of `serve()`, with its output and exit status. */
export interface Run {
  readonly stdout: MemoryStream
  readonly stderr: MemoryStream
  /** Settles with the URL once the server listens. */
  readonly ready: Promise<string>
  /** The exit status. */
  readonly status: Promise<number>
  /** Requests a stop, as a signal does. */
  stop(): void
}

/** Runs `serve()` with this environment and a cheap password hash. The server stops when the test ends. */
export function runServe(env: Readonly<Record<string, string>>, flags: Readonly<Record<string, string>> = {}): Run {
  const [stdout, stderr] = [createMemoryStream(), createMemoryStream()]
  let waiting: (() => void)[] = []
  const stop = () => {
    for (const settle of waiting.splice(0)) settle()
  }
  const stopRequested = () => new Promise<void>((resolve) => waiting.push(resolve))
  const passwords = createScryptHasher(CHEAP)
  const status = serve({
    env: { FISH_PORT: '0', ...env },
    flags,
    version: '1.2.3',
    stdout,
    stderr,
    stopRequested,
    passwords,
  })
  onTestFinished(async () => {
    stop()
    await status
    waiting = []
  })
  const ready = stdout.until(/\n/).then((text) => text.replace(/^listening on (.*)\n$/, '$1'))
  return { stdout, stderr, ready, status, stop }
}
