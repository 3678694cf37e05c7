// Runs each server in its own process, and reads the kernel's counters of these processes. This works on Linux only.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedUser, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import type { Steps } from './step-probe.ts'

export const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const STEP_PROBE = new URL('step-probe.ts', import.meta.url).href
const peerPath = (name: string) => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))
const ADMIN = { username: 'admin', password: 'the password of a benchmark' }
const MEGABYTE_IN_KB = 1024
/** Secrets for a server with Redis, because such a server has no folder for generated secrets. */
export const SECRETS = {
  FISH_SECRET: 'a secret of a benchmark',
  FISH_JWT_SECRET: 'another secret, of 32 bytes or more',
}

export interface Server {
  readonly child: ChildProcess
  readonly port: number
}

/** Starts servers. All servers are killed at the end of the benchmark. */
export interface Servers {
  /** A temporary folder, which is removed at the end of the benchmark. */
  readonly folder: string
  /** Starts `fish-cli serve` with a JSON log and a very high rate limit. */
  startOurs(storage: string, env?: NodeJS.ProcessEnv): Promise<Server>
  /** Starts a program of the folder `peers`. */
  startPeer(name: string, args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Server>
}

export async function withServers(use: (servers: Servers) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fish-bench-'))
  const children: ChildProcess[] = []
  const start = async (args: readonly string[], env: NodeJS.ProcessEnv, portIn: RegExp): Promise<Server> => {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    children.push(child)
    return { child, port: await printedPort(child, portIn) }
  }
  try {
    await use({
      folder,
      startOurs: (storage, env) =>
        start(
          ['--import', STEP_PROBE, CLI, 'serve', '--port', '0'],
          {
            HOME: folder,
            FISH_LOG: 'json',
            FISH_STORAGE: storage,
            FISH_RATE_LIMIT: '1000000000',
            FISH_ADMIN_RATE_LIMIT: '1000000000',
            FISH_ADMIN_PASSWORD: ADMIN.password,
            ...env,
          },
          /listening on \S+:(\d+)/,
        ),
      startPeer: (name, args = [], env = {}) => start([peerPath(name), ...args], env, /^port (\d+)/m),
    })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Finds the port in the output of the process. Then continues reading the output, because a full pipe would block the
 * process.
 */
function printedPort(child: ChildProcess, portIn: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const search = (chunk: Buffer) => {
      if (text.length < 1e5) text += chunk
      const [, port] = portIn.exec(text) ?? []
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout?.on('data', search)
    child.stderr?.on('data', search)
    child.once('exit', () => reject(new Error(`${child.spawnargs.join(' ')} has ended:\n${text}`)))
  })
}

/** Measures the turns of the server's event loop while a function runs. */
export async function stepsDuring<Result>(
  { child }: Pick<Server, 'child'>,
  run: () => Promise<Result>,
): Promise<{ readonly steps: Steps; readonly result: Result }> {
  child.send('start')
  const result = await run()
  const stopped = once(child, 'message')
  child.send('stop')
  const [{ steps }] = (await stopped) as [{ steps: Steps }]
  return { steps, result }
}

/** Stops a server with SIGTERM, and waits until the process exits. */
export async function stop({ child }: Server): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** Creates users of these names through the admin API. */
export async function createUsers(server: Server, names: readonly string[]): Promise<readonly CreatedUser[]> {
  const token = await adminToken(server)
  const users: CreatedUser[] = []
  for (const name of names) users.push(await sendJson(server, '/admin/users', { name }, `Bearer ${token}`))
  return users
}

export async function adminToken(server: Server): Promise<string> {
  return (await sendJson<Session>(server, '/admin/login', ADMIN)).token
}

async function sendJson<Body>({ port }: Server, path: string, body: object, authorization = ''): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json, authorization },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}

/** Returns the CPU time of all threads in microseconds. */
export function cpuOf({ child }: Pick<Server, 'child'>): number {
  const tasks = `/proc/${child.pid}/task`
  const nanoseconds = readdirSync(tasks).map((id) =>
    Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
}

/** Returns the resident memory in megabytes: the current value, and the peak since {@link resetPeak}. */
export function memoryOf({ child }: Pick<Server, 'child'>): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / MEGABYTE_IN_KB
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

export function resetPeak({ child }: Pick<Server, 'child'>): void {
  writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
}
