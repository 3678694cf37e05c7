import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CreatedUser, Session } from '@fish-crab/sdk/contract'

/** A built server in its own process. */
export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Returns the log of the server, if `FISH_LOG` is set. */
  log(): string
  /** Sends a signal to the process and waits until it ends. Returns its exit status. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** The first administrator of every server. */
export const ROOT = { username: 'root', password: 'root-password' } as const
const ADMIN = { FISH_ADMIN_USERNAME: ROOT.username, FISH_ADMIN_PASSWORD: ROOT.password }

/**
 * A program that starts a built server. The server stores plain passwords, because hashing takes a third of a second
 * per password.
 */
export const SERVER_SCRIPT = [
  fileURLToPath(new URL('../../server/e2e/fixtures/serve.js', import.meta.url)),
  '--plain-passwords',
] as const

/**
 * Starts a server on a free port and waits until it listens.
 * @param launcher a command that runs the rest of its arguments as a command
 * @param script the path of a script for Node, and its arguments
 */
export async function startServerProcess(
  env: Record<string, string>,
  launcher: readonly string[] = [],
  script: readonly string[] = SERVER_SCRIPT,
): Promise<ServerProcess> {
  const [command = '', ...args] = [...launcher, process.execPath, ...script]
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, FISH_PORT: '0', FISH_LOG: 'silent', ...ADMIN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (piece) => {
    log += piece
  })
  if (!env.FISH_LOG) child.stderr.pipe(process.stderr)
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (!url) throw new Error(`Not the line of a server that listens: ${line}`)
    return {
      url,
      child,
      log: () => log,
      async end(signal) {
        const gone = once(child, 'close')
        child.kill(signal)
        const [code] = await gone
        return code as number | null
      },
    }
  }
  throw new Error('The server ended before it listened.')
}

/** Creates a user through the admin API. @param password the password of the first administrator */
export async function createUser(url: string, name: string, password: string = ROOT.password): Promise<CreatedUser> {
  const json = { 'content-type': 'application/json' }
  const post = async <Body>(path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return (await response.json()) as Body
  }
  const { token } = await post<Session>('/admin/login', { ...ROOT, password })
  return post<CreatedUser>('/admin/users', { name }, { authorization: `Bearer ${token}` })
}
