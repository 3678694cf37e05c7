import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type ChildEnv, start } from '../../scripts/test-support/child-process.ts'

/** A player as the administrator made it. */
export interface Player {
  readonly name: string
  readonly password: string
  readonly apiKey: string
  readonly fernetKey: string
}

/** A server process on a folder of its own. */
export interface Service {
  readonly url: string
  createPlayer(name: string): Promise<Player>
  /** What anybody reads: the entries of one collection. */
  read(kind: 'fish' | 'crab', player: Player, gamemode?: string): Promise<unknown>
  /** Ends the process, as an operator would, and tells its exit status and all it logged. */
  stop(): Promise<{ readonly status: number | null; readonly log: string }>
}

const ADMIN = { username: 'admin', password: 'correct horse battery staple' }

/** Starts a script (see serve.ts) with its arguments on any free port, with file storage in a new folder. */
export async function startService(script: readonly string[], settings: ChildEnv = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-crab-e2e-'))
  const env = {
    FISH_PORT: '0',
    FISH_STORAGE: `file:${folder}`,
    FISH_ADMIN_PASSWORD: ADMIN.password,
    FISH_LOG: 'json',
    ...settings,
  }
  const child = start(process.execPath, script, env)
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('A child without output.')
  const log = text(stderr)
  const closed = once(child, 'close') as Promise<[number | null]>
  const ready = createInterface({ input: stdout })[Symbol.asyncIterator]().next()
  const { value: line = '' } = await Promise.race([ready, closed.then(() => ({ value: '' }))])
  const url = /^listening on (http\S+)$/.exec(line)?.[1]
  const stop = async () => {
    child.kill('SIGTERM')
    const [status] = await closed
    await rm(folder, { recursive: true, force: true })
    return { status, log: await log }
  }
  if (!url) throw new Error(`The server did not start.\n${line}\n${(await stop()).log}`)

  return {
    url,
    stop,
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

async function call<Body>(url: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Body
}
