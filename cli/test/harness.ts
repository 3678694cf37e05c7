import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { createLogger, readConfig, startServer } from '@fish-crab/server'
import { runCli } from '../src/main.ts'

/** Environment variables of a run. */
export type Env = Readonly<Record<string, string | undefined>>

/** What a run may be given. */
export interface RunOptions {
  readonly env?: Env
  /** Whether all three streams are terminals. */
  readonly terminal?: boolean
  /** Typed at the prompt, once it is shown. */
  readonly typed?: string
  readonly interrupted?: AbortSignal
  readonly stopRequested?: () => Promise<void>
  /** Called with all of stdout whenever it grows. */
  readonly onStdout?: (text: string) => void
}

/** How a run ended. */
export interface RunResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

function sink(terminal: boolean, onText: (all: string) => void = () => {}) {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      onText(text)
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY: terminal }), text: () => text }
}

/** Runs one command line in this process, with an environment and streams of its own. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { env = {}, terminal = false, typed } = options
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal })
  const stdout = sink(terminal, options.onStdout)
  const stderr = sink(terminal, () => {
    if (typed !== undefined && !stdin.writableEnded) stdin.end(typed)
  })
  const status = await runCli(argv, {
    env,
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    interrupted: () => options.interrupted ?? new AbortController().signal,
    stopWishes: () => options.stopRequested ?? (() => new Promise(() => {})),
  })
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

export const ADMIN_PASSWORD = 'canary-admin-password'

/** A real server on a free port that keeps everything in memory. */
export async function startService(env: Env = {}) {
  const config = readConfig({
    env: {
      FISH_STORAGE: 'memory:',
      FISH_PORT: '0',
      FISH_ADMIN_PASSWORD: ADMIN_PASSWORD,
      FISH_RATE_LIMIT: '10000',
      ...env,
    },
  })
  const logger = createLogger('silent', { stream: process.stderr, colours: false })
  // What hashing costs is not what these tests are about.
  const passwords = {
    hash: async (password: string) => `plain$${password}`,
    verify: async (password: string, hash: string) => hash === `plain$${password}`,
  }
  return startServer(config, { logger, version: '0.0.0-test', passwords })
}

/** A service with the player Alex, and environments to act in. */
export async function startWorld(serverEnv: Env = {}) {
  const service = await startService(serverEnv)
  const base: Env = { FISH_URL: service.url, FISH_MAX_WAIT: '0', FISH_GAMEMODE: 'earth' }
  const admin: Env = { ...base, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const created = await run(['user', 'create', 'Alex', '--json'], { env: admin })
  const alex = JSON.parse(created.stdout) as CreatedUser
  const player: Env = { ...base, FISH_USER: 'Alex', FISH_KEY: alex.fernetKey, FISH_PASSWORD: alex.password }
  return { service, base, admin, alex, player }
}

/** The service of one test file. */
export type World = Awaited<ReturnType<typeof startWorld>>

/** Something that answers HTTP and is not the service. */
export async function startImpostor(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
