import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type ChildEnv, start } from '../../scripts/test-support/child-process.ts'
import type { Tool } from '../../scripts/test-support/language-tools.ts'

/** A player as the admin API returns it. */
export interface Player {
  readonly name: string
  readonly password: string
  readonly apiKey: string
  readonly fernetKey: string
}

/** The exit status and the log of a server. */
export interface EndedService {
  readonly status: number | null
  readonly log: string
}

/** A server process with its own folder. */
export interface Service {
  readonly url: string
  createPlayer(name: string): Promise<Player>
  /** Reads the entries of one collection, which are public. */
  read(kind: 'fish' | 'crab', player: Player, gamemode?: string): Promise<unknown>
  /** Ends the process with SIGTERM, like an operator. */
  end(): Promise<EndedService>
  /** Starts a new process at the same address with the same folder. */
  startAgain(): Promise<void>
  /** Ends the process and removes the folder. */
  stop(): Promise<EndedService>
}

const ADMIN = { username: 'admin', password: 'correct horse battery staple' }

const NODE: Tool = { command: process.execPath, args: [] }

/**
 * Starts a script such as serve.ts, with its arguments, on a free port. The storage is a file store in a new folder.
 */
export async function startService(
  script: readonly string[],
  settings: ChildEnv = {},
  runtime = NODE,
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-crab-e2e-'))
  const env = {
    FISH_PORT: '0',
    FISH_STORAGE: `file:${folder}`,
    FISH_ADMIN_PASSWORD: ADMIN.password,
    FISH_LOG: 'json',
    ...settings,
  }
  let server = await launch(runtime, script, env)
  const { url } = server
  return {
    url,
    end: () => server.end(),
    async startAgain() {
      server = await launch(runtime, script, { ...env, FISH_PORT: new URL(url).port })
    },
    async stop() {
      const ended = await server.end()
      await rm(folder, { recursive: true, force: true })
      return ended
    },
    async createPlayer(name) {
      const { token } = await call<{ token: string }>(`${url}/admin/login`, ADMIN)
      return call<Player>(`${url}/admin/users`, { name }, { authorization: `Bearer ${token}` })
    },
    async read(kind, { name, apiKey }, gamemode = 'earth') {
      const answer = await fetch(`${url}/get/${kind}?${new URLSearchParams({ name, gamemode })}`, {
        headers: { 'x-api-key': apiKey },
      })
      const body = (await answer.json()) as Record<string, unknown>
      return body[kind] ?? body
    },
  }
}

async function launch({ command, args }: Tool, script: readonly string[], env: ChildEnv) {
  const child = start(command, [...args, ...script], env)
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('A child without output.')
  const log = text(stderr)
  const closed = once(child, 'close') as Promise<[number | null]>
  const end = async (): Promise<EndedService> => {
    child.kill('SIGTERM')
    const [status] = await closed
    return { status, log: await log }
  }
  const ready = createInterface({ input: stdout })[Symbol.asyncIterator]().next()
  const { value: line = '' } = await Promise.race([ready, closed.then(() => ({ value: '' }))])
  const url = /^listening on (http\S+)$/.exec(line)?.[1]
  if (!url) throw new Error(`The server did not start.\n${line}\n${(await end()).log}`)
  return { url, end }
}

async function call<Body>(url: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Body
}
