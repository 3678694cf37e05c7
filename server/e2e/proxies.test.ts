import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'
import { startProxy } from './proxies/proxy.ts'
import { PROXIES } from './proxies/rules.ts'
import { type Spelling, spellingsOf } from './proxies/spellings.ts'

/** A proxy that waits for more of a request counts as refusing it. */
const SILENCE_MS = 3000

/** HAProxy retries a server three times, once a second. */
const RETRIES_MS = 20_000

const HOST = 'fish.example.org'

/** Sends the exact bytes of a spelling to a server. Returns the whole response, or an empty text. */
const send = (port: number, spelling: Spelling): Promise<string> => exchange(connect(port, '127.0.0.1'), spelling)

/** Sends a spelling to a proxy, whose certificate is made for the test. */
const sendThrough = (port: number, spelling: Spelling, silenceMs?: number): Promise<string> =>
  exchange(connectTls({ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false }), spelling, silenceMs)

function exchange(
  socket: Socket,
  { line, version = '1.1', headers = [] }: Spelling,
  silenceMs: number = SILENCE_MS,
): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    const lines = [`${line} HTTP/${version}`, `Host: ${HOST}`, 'Connection: close', ...headers]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  })
}

/** The status of a response and its sender. Only the server gives its responses an id. */
function outcomeOf(response: string): string {
  const status = /^HTTP\/1\.\d (\d+)/.exec(response)?.[1] ?? 'closed'
  return `${/^x-request-id:/im.test(response) ? 'service' : 'proxy'} ${status}`
}

/** Permitted outcomes of a denied path: a response of the proxy, or an error of the service for an unknown path. */
const HARMLESS = /^proxy |^service (400|404)$/

/** Apache cannot replace the status of an error. */
const WITH_EVENTS = PROXIES.filter(({ name }) => name !== 'Apache')

describe('a stream of events that a proxy cannot get from the service', () => {
  for (const proxy of WITH_EVENTS) {
    it(`is one that ends, and that any page may read, through ${proxy.name}`, async ({ skip }) => {
      const server = await startServerProcess({ FISH_STORAGE: 'memory:', FISH_WEB: 'off' })
      const port = await startProxy(proxy, skip, new URL(server.url).host)
      await server.end('SIGKILL')
      for (const path of ['/events?name=Alex&gamemode=earth', '/v1/events']) {
        const response = await sendThrough(port, { what: '', line: `GET ${path}` }, RETRIES_MS)
        const [head = '', body = ''] = response.split('\r\n\r\n', 2)
        expect(head).toMatch(/^HTTP\/1\.1 200 /)
        expect(head).toMatch(/^content-type: text\/event-stream/im)
        expect(head).toMatch(/^access-control-allow-origin: \*/im)
        expect(body).toContain('retry: 5000')
      }
      expect(outcomeOf(await sendThrough(port, { what: '', line: 'GET /status' }, RETRIES_MS))).toMatch(
        /^proxy 50[234]$/,
      )
    })
  }
})

describe('a path that a proxy denies', () => {
  for (const proxy of PROXIES) {
    it(`is reached in no spelling through ${proxy.name}`, async ({ skip }) => {
      const server = await startServerProcess({
        FISH_STORAGE: 'memory:',
        FISH_RATE_LIMIT: '1000000',
        // With a page at `/`, all spellings of unknown paths would have the same response.
        FISH_WEB: 'off',
      })
      onTestFinished(async () => {
        await server.end('SIGKILL')
      })
      const port = await startProxy(proxy, skip, new URL(server.url).host)
      const rows = await Promise.all(
        ['metrics', 'admin/users'].flatMap(spellingsOf).map(async (spelling) => {
          const response = await sendThrough(port, spelling)
          const leaked = response.includes('process_uptime_seconds') || response.includes('invalid_session')
          const direct = outcomeOf(await send(Number(new URL(server.url).port), spelling))
          return { spelling: spelling.what, direct, through: outcomeOf(response), leaked }
        }),
      )
      // PROXY_TABLE=FILE stores the table of outcomes of each spelling, without and with the proxy.
      if (process.env.PROXY_TABLE) {
        await writeFile(
          process.env.PROXY_TABLE,
          `${proxy.name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
          { flag: 'a' },
        )
      }
      expect(rows.length).toBeGreaterThan(200)
      // The rules deny exactly the intended paths.
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
