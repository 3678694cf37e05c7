import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { createLogger, createScryptHasher, readConfig, startServer } from '@fish-crab/server'
import { afterAll, beforeAll } from 'vitest'
import type { System } from '../src/core/system.ts'
import { runCli } from '../src/program/main.ts'

/** Environment variables of a run. */
export type Env = Readonly<Record<string, string | undefined>>

/** Options of a run. */
export interface RunOptions {
  readonly env?: Env
  /** Whether all three streams are terminals. */
  readonly terminal?: boolean
  /** Cells in a line of the terminal. @default unknown */
  readonly columns?: number
  /** Lines of the terminal. @default unknown */
  readonly rows?: number
  /** The pager. @default there is no pager */
  readonly page?: System['page']
  /** Opens a URL on the desktop. @default there is no browser */
  readonly openBrowser?: System['openBrowser']
  readonly clock?: System['clock']
  /** @default the system's keyring, which a run uses only if FISH_SECRET_STORE is not `file` */
  readonly keyring?: System['keyring']
  /** The text that is typed when the prompt appears. */
  readonly typed?: string
  /** The content of stdin if it is not a terminal. */
  readonly piped?: string
  readonly interrupted?: AbortSignal
  readonly stopRequested?: () => Promise<void>
  /** Called with the whole stdout after each write. */
  readonly onStdout?: (text: string) => void
  /** Called with the whole stderr after each write. */
  readonly onStderr?: (text: string) => void
}

/** The result of a run. */
export interface RunResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

function sink(terminal: Terminal, onText: (all: string) => void = () => {}) {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      onText(text)
      done()
    },
  })
  return { stream: Object.assign(stream, terminal), text: () => text }
}

interface Terminal {
  readonly isTTY: boolean
  readonly columns?: number
  readonly rows?: number
}

/** Uses fast password hashing to keep the tests fast. */
export const PASSWORDS = createScryptHasher({ N: 16, r: 1, p: 1 })

const NO_HOME = '/dev/null/home'

/** Runs one command line in this process, with a separate environment and streams. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { env = {}, terminal = false, typed } = options
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal })
  if (options.piped !== undefined) stdin.end(options.piped)
  const { columns, rows } = options
  const size = columns === undefined || rows === undefined ? {} : { columns, rows }
  const stdout = sink({ isTTY: terminal, ...size }, options.onStdout)
  const stderr = sink({ isTTY: terminal, ...size }, (text) => {
    options.onStderr?.(text)
    if (typed !== undefined && !stdin.writableEnded) stdin.end(typed)
  })
  const status = await runCli(argv, {
    // Runs must not use the profiles and secrets of the current user.
    env: { HOME: NO_HOME, USERPROFILE: NO_HOME, FISH_SECRET_STORE: 'file', ...env },
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    page: options.page,
    openBrowser: options.openBrowser,
    clock: options.clock,
    keyring: options.keyring,
    passwords: PASSWORDS,
    interrupted: () => options.interrupted ?? new AbortController().signal,
    stopRequests: () => options.stopRequested ?? (() => new Promise(() => {})),
  })
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

export const ADMIN_PASSWORD = 'canary-admin-password'

/** Starts a real server on a free port, with its data in memory. */
export async function startService(env: Env = {}, version = '0.0.0-test') {
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
  return startServer(config, { logger, version, passwords: PASSWORDS })
}

/** Starts a service with the player Alex, and returns environments for the player and the administrator. */
export async function startServiceContext(serverEnv: Env = {}) {
  const service = await startService(serverEnv)
  const base: Env = { FISH_URL: service.url, FISH_MAX_WAIT: '0', FISH_GAMEMODE: 'earth' }
  const admin: Env = { ...base, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const created = await run(['user', 'create', 'Alex', '--json'], { env: admin })
  const alex = JSON.parse(created.stdout) as CreatedUser
  const player: Env = { ...base, FISH_USER: 'Alex', FISH_KEY: alex.fernetKey, FISH_PASSWORD: alex.password }
  return { service, base, admin, alex, player }
}

type ServiceContext = Awaited<ReturnType<typeof startServiceContext>>

/** A service that the tests of a file share. The service starts before the first test and closes after the last. */
export function serviceContext(serverEnv: Env = {}): ServiceContext {
  const context = {} as ServiceContext
  beforeAll(async () => {
    Object.assign(context, await startServiceContext(serverEnv))
  })
  afterAll(() => context.service.close())
  return context
}

/** Starts an HTTP server that is not the service. */
export async function startImpostor(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
