import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'
import { startProxy } from './proxies/proxy.ts'
import { PROXIES } from './proxies/rules.ts'
import { type Spelling, spellingsOf } from './proxies/spellings.ts'

/**
 * The time without data after which the test closes a connection, in milliseconds. A proxy that waits for more of a
 * request thus counts as refusing the request.
 */
const SILENCE_MS = 3000

/**
 * The time to wait for a response while the server is down, in milliseconds. HAProxy tries to connect three more times,
 * once a second.
 */
const RETRIES_MS = 20_000

const HOST = 'fish.example.org'

/**
 * Sends a spelling byte for byte to a server. Returns the whole response, or an empty string if the connection closes
 * without one.
 */
const send = (port: number, spelling: Spelling): Promise<string> => exchange(connect(port, '127.0.0.1'), spelling)

/** Sends a spelling to a proxy over TLS, without verifying the self-signed certificate. */
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

/** Returns the sender and the status of a response. Only responses of the server have a request id. */
function outcomeOf(response: string): string {
  const status = /^HTTP\/1\.\d (\d+)/.exec(response)?.[1] ?? 'closed'
  return `${/^x-request-id:/im.test(response) ? 'service' : 'proxy'} ${status}`
}

/**
 * The permitted outcomes for a denied path: a response of the proxy, or an error of the service for an invalid or
 * unknown path.
 */
const HARMLESS = /^proxy |^service (400|404)$/

/** Apache is excluded, since its configuration cannot replace the status of an error. */
const WITH_EVENTS = PROXIES.filter(({ name }) => name !== 'Apache')

describe('an event stream that a proxy requests while the service is down', () => {
  for (const proxy of WITH_EVENTS) {
    it(`is replaced through ${proxy.name} by a short stream that ends, tells clients to retry, and is readable by any page`, async ({
      skip,
    }) => {
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
    it(`cannot be reached through ${proxy.name} in any spelling`, async ({ skip }) => {
      const server = await startServerProcess({
        FISH_STORAGE: 'memory:',
        FISH_RATE_LIMIT: '1000000',
        // Without the pages, unknown paths get a 404 response instead of a page.
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
      // If PROXY_TABLE names a file, the outcome of each spelling, without and with the proxy, is appended to the file.
      if (process.env.PROXY_TABLE) {
        await writeFile(
          process.env.PROXY_TABLE,
          `${proxy.name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
          { flag: 'a' },
        )
      }
      expect(rows.length).toBeGreaterThan(200)
      // The rules must deny the intended paths and no further paths.
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
