import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { certificate, privateKey } from '../../mocks/e2e/intercept-certificate.ts'
import { freePort } from '../../scripts/test-support/redis-server.ts'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'
import { PROXIES, type ProxySetup, rulesOf } from './proxies/rules.ts'
import { type Spelling, spellingsOf } from './proxies/spellings.ts'

/** A proxy that waits for more of a request is as good as one that refuses it. */
const SILENCE_MS = 3000

const HOST = 'fish.example.org'

/** Starts a proxy before a server; returns its port. */
async function startProxy(proxy: ProxySetup, program: string, server: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-proxy-'))
  const place = { port: await freePort(), server, folder }
  const file = join(folder, 'proxy.conf')
  await writeFile(join(folder, 'fullchain.pem'), certificate)
  await writeFile(join(folder, 'privkey.pem'), privateKey)
  await writeFile(join(folder, 'fish.pem'), certificate + privateKey)
  await writeFile(file, proxy.config(rulesOf(proxy, place), place))
  const env = { PATH: process.env.PATH, HOME: folder }
  const child: ChildProcess = spawn(program, proxy.args(file, folder), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr?.on('data', (chunk) => {
    complaints += chunk
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    await rm(folder, { recursive: true })
  })
  while (outcomeOf(await sendThrough(place.port, { what: '', line: 'GET /livez' })) !== 'service 200') {
    if (child.exitCode !== null) throw new Error(`${proxy.name} is not there: ${complaints}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return place.port
}

/** Sends a spelling to the byte to a server; returns all that comes, empty when nothing does. */
const send = (port: number, spelling: Spelling): Promise<string> => exchange(connect(port, '127.0.0.1'), spelling)

/** Sends it to a proxy, whose certificate is made for the test. */
const sendThrough = (port: number, spelling: Spelling): Promise<string> =>
  exchange(connectTls({ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false }), spelling)

function exchange(socket: Socket, { line, version = '1.1', headers = [] }: Spelling): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    const lines = [`${line} HTTP/${version}`, `Host: ${HOST}`, 'Connection: close', ...headers]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  })
}

/** What was reached: the status, and whose it is. Only the server gives its responses an id. */
function outcomeOf(response: string): string {
  const status = /^HTTP\/1\.\d (\d+)/.exec(response)?.[1] ?? 'closed'
  return `${/^x-request-id:/im.test(response) ? 'service' : 'proxy'} ${status}`
}

/** What a denied path may be answered with: by the proxy, or by the service that there is no such path. */
const HARMLESS = /^proxy |^service (400|404)$/

describe('a path that a proxy denies', () => {
  for (const proxy of PROXIES) {
    it(`is reached in no spelling through ${proxy.name}`, async ({ skip }) => {
      const program = proxy.programs.find((each) => spawnSync(each, ['-v']).error === undefined)
      if (program === undefined)
        return skip(`${proxy.name} is not installed. On Debian: apt-get install ${proxy.debian}`)
      const server = await startServerProcess({
        FISH_STORAGE: 'memory:',
        FISH_RATE_LIMIT: '1000000',
        // A page at `/` would be a response that tells no spelling of a path from another.
        FISH_WEB: 'off',
      })
      onTestFinished(async () => {
        await server.end('SIGKILL')
      })
      const port = await startProxy(proxy, program, new URL(server.url).host)
      const rows = await Promise.all(
        ['metrics', 'admin/users'].flatMap(spellingsOf).map(async (spelling) => {
          const response = await sendThrough(port, spelling)
          const leaked = response.includes('process_uptime_seconds') || response.includes('invalid_session')
          const direct = outcomeOf(await send(Number(new URL(server.url).port), spelling))
          return { spelling: spelling.what, direct, through: outcomeOf(response), leaked }
        }),
      )
      // PROXY_TABLE=FILE keeps the table: what each spelling comes to, without the proxy and through it.
      if (process.env.PROXY_TABLE) {
        await writeFile(
          process.env.PROXY_TABLE,
          `${proxy.name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
          { flag: 'a' },
        )
      }
      expect(rows.length).toBeGreaterThan(200)
      // The rules deny, and only what they are to deny.
      expect(rows[0]?.through).toBe('proxy 403')
      expect(outcomeOf(await sendThrough(port, { what: '', line: 'GET /demo/fish' }))).toBe('service 200')
      expect(outcomeOf(await sendThrough(port, { what: '', line: 'GET /v1//get/%66ish/?name=%41lex' }))).toBe(
        'service 400',
      )
      const bypasses = rows.filter(({ spelling, through, leaked }) => {
        const elsewhere = /^(\/livez|\/x\?|\*)/.test(spelling)
        return leaked || !(HARMLESS.test(through) || elsewhere)
      })
      expect(bypasses).toEqual([])
    })
  }
})
