import { once } from 'node:events'
import { type CreatedUser, type ErrorBody, isErrorCode, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { head, openRaw } from './raw-socket.ts'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password' }
const GET = (target: string) => head(`GET ${target} HTTP/1.1`)
/** More headers than Node keeps by default. */
const MANY = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`a${index}`, '']))
const LONG_HOST = encodeURIComponent('\u4e00'.repeat(1500))
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

/** Sends a text, and returns the responses after the server has closed the connection. */
async function untilClosed(url: string, text: string): Promise<string> {
  const socket = await openRaw(url)
  const gone = once(socket.socket, 'close')
  socket.send(text)
  await gone
  return socket.until(/^/)
}

/** Returns the only response in a text, which must be an error in the usual form. */
function refusalIn(text: string): { status: number; code: string; requestId: string } {
  expect(statuses(text)).toHaveLength(1)
  const [heads = '', body = ''] = text.split('\r\n\r\n')
  const { error, code, requestId } = JSON.parse(body) as ErrorBody
  expect(error).toMatch(/^[A-Z].*\.$/)
  expect(isErrorCode(code)).toBe(true)
  expect(heads).toContain(`x-request-id: ${requestId}`)
  expect(heads).toContain('connection: close')
  return { status: statuses(text)[0] ?? 0, code, requestId }
}

async function createPlayer(url: string): Promise<CreatedUser> {
  const json = { 'content-type': 'application/json' }
  const login = JSON.stringify({ username: 'boss', password: 'boss-password' })
  const session = await fetch(`${url}/admin/login`, { method: 'POST', headers: json, body: login })
  const { token } = (await session.json()) as Session
  const headers = { ...json, authorization: `Bearer ${token}` }
  const created = await fetch(`${url}/admin/users`, { method: 'POST', headers, body: '{"name":"Alex"}' })
  return (await created.json()) as CreatedUser
}

describe('a request that a proxy may interpret differently', () => {
  it.each([
    ...['/\\metrics', '/v1\\metrics', '/metrics\\', '/x\\..\\metrics', '\\metrics', 'http://service.test/\\metrics'],
    ...[
      '/./metrics',
      '/x/../metrics',
      '/x/%2e%2E/metrics',
      '/x/.%2e/metrics',
      '/metrics/.',
      '/metrics/x/..',
      '/v1/%2e',
    ],
    ...[
      'http://service.test/x/../metrics',
      '/x%2fy/../metrics',
      '/metrics#',
      '/metrics#x',
      '/x#/../metrics',
      '/#/metrics',
    ],
    ...['http://service.test\\metrics', 'http://service.test#/metrics', 'ftp://service.test/metrics', 'metrics'],
  ])('because of its target %s is refused, and the connection stays open', async (target) => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    socket.send(GET(target) + GET('/status'))
    const responses = await socket.until(/"version"/)
    expect(statuses(responses)[0]).toBe(400)
    expect(responses).toContain('"malformed_request"')
    expect(responses).not.toContain('process_uptime_seconds')
  })

  it('because of its target counts against the rate limit, as every request does', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    socket.send(GET('/x/../status') + GET('/\\status') + GET('/status'))
    const responses = await socket.until(/"version"/)
    expect(statuses(responses)).toEqual([400, 400, 200])
    expect(responses.match(/x-ratelimit-remaining: \d+/gi)).toHaveLength(3)
    expect(responses).toMatch(/x-ratelimit-remaining: 22/i)
  })

  it.each([
    ['HTTP/0.9', 'GET /livez\r\n\r\n'],
    ['HTTP/2.0 without its preface', head('GET /livez HTTP/2.0')],
    ['no Host', 'GET /status HTTP/1.1\r\n\r\n'],
    ['two Hosts', GET('/status').replace('host', 'host: other.test\r\nhost')],
    ['the same Host twice', GET('/status').replace('host', 'Host: service.test\r\nhost')],
    ['a list as Host', head('GET /status HTTP/1.1', { host: 'service.test, other.test' })],
    ...['1.2.3.4.5', '256.1.1.1', 'a.0x', 'x:65536', '[::1]:65536', '[::1', 'a b'].map((host) => [
      `the Host ${host}`,
      head('GET /status/ HTTP/1.1', { host }),
    ]),
    [
      'two Hosts with a thousand headers in between',
      head('GET /status HTTP/1.1', MANY).replace(/\r\n$/, 'host: x\r\n\r\n'),
    ],
    // Parsing this host as a domain name would take 20 times as long as a request.
    ['a Host that is longer than any name', head('GET /status HTTP/1.1', { host: LONG_HOST })],
    ['a target whose host is longer than any name', head(`GET http://${LONG_HOST}/status HTTP/1.1`, { host: 'x' })],
    ['a path in its Host', head('GET /status HTTP/1.1', { host: 'service.test/metrics?' })],
    ['two codings', head('POST /post/fish HTTP/1.1', { 'transfer-encoding': 'gzip, chunked' })],
    ['one coding twice', head('POST /post/fish HTTP/1.1', { 'transfer-encoding': 'chunked, chunked' })],
    ['another coding', head('POST /post/fish HTTP/1.1', { 'transfer-encoding': 'gzip' })],
    ['an unknown coding', head('POST /post/fish HTTP/1.1', { 'transfer-encoding': 'xchunked' })],
    ['a coding in HTTP/1.0', head('POST /post/fish HTTP/1.0', { 'transfer-encoding': 'chunked' })],
    [
      'a coding and a length',
      head('POST /post/fish HTTP/1.1', { 'content-length': '5', 'transfer-encoding': 'chunked' }),
    ],
    ['two lengths', head('POST /post/fish HTTP/1.1', { 'content-length': '5, 6' })],
    [
      'a coding in two lines',
      head('POST /post/fish HTTP/1.1', { 'transfer-encoding': 'chunked', 'Transfer-Encoding': 'chunked' }),
    ],
  ])('because of %s is refused', async (_, text) => {
    const { url } = await startTestServer()
    const refusal = refusalIn(await untilClosed(url, `${text}0\r\n\r\n${GET('/livez')}`))
    expect(refusal).toMatchObject({ status: 400, code: 'malformed_request' })
  })

  it('is refused with the request id that the client sent', async () => {
    const { url } = await startTestServer()
    const response = await untilClosed(url, head('GET /livez HTTP/1.1', { expect: 'x', 'x-request-id': 'mine-1' }))
    expect(refusalIn(response).requestId).toBe('mine-1')
  })

  it('gets a response that has no body if the method is HEAD', async () => {
    const { url } = await startTestServer()
    expect(await untilClosed(url, head('HEAD /livez HTTP/1.1', { host: 'a,b' }))).toMatch(
      /^HTTP\/1\.1 400 .*\r\n\r\n$/s,
    )
  })

  it('does not affect earlier requests, and later requests on the connection are discarded', async () => {
    const { url } = await startTestServer()
    const responses = await untilClosed(
      url,
      GET('/livez') + GET('/status') + GET('/livez').replace('service', '@') + GET('/status'),
    )
    expect(statuses(responses)).toEqual([200, 200, 400])
  })

  it('is not a request that contains ambiguous characters only in the query', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    socket.send(GET('/status?x=/../\\#'))
    expect(await socket.until(/"version"/)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a request with an Expect header', () => {
  it('gets 417 if the value is unknown', async () => {
    const { url } = await startTestServer()
    const response = await untilClosed(url, head('GET /status HTTP/1.1', { expect: 'x' }))
    expect(refusalIn(response)).toMatchObject({ status: 417, code: 'expectation_failed' })
  })

  it('gets 100 Continue if the value is 100-continue', async () => {
    const { url } = await startTestServer(ADMIN)
    const socket = await openRaw(url)
    const headers = { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' }
    socket.send(head('POST /admin/login HTTP/1.1', headers))
    expect(await socket.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.send('{}')
    expect(await socket.until(/invalid_payload/)).toMatch(/HTTP\/1\.1 400 /)
  })
})

describe('invalid bytes after a request', () => {
  it('do not replace the response to a stored catch', async () => {
    const { url } = await startTestServer(ADMIN)
    const player = await createPlayer(url)
    const token = await createFernet(player.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const headers = { 'x-gamemode': 'earth', 'x-api-key': player.apiKey, 'content-length': String(token.length) }
    const post = `${head('POST /post/fish?name=Alex HTTP/1.1', headers)}${token}`
    const responses = await untilClosed(url, `${post}JUNK\r\n\r\n`)
    expect(statuses(responses)).toEqual([201, 400])
    expect(responses).toMatch(/Fish saved for user Alex.*malformed_request/s)
    const read = await fetch(`${url}/get/fish?name=Alex&gamemode=earth`)
    expect(await read.json()).toMatchObject({ fish: [{ name: 'Salmon' }] })
  })

  it.each([
    ['one request', 1],
    ['many requests', 40],
  ])('are refused after the valid responses to %s', async (_, count) => {
    const { url } = await startTestServer()
    const responses = await untilClosed(url, `${GET('/livez').repeat(count)}JUNK\r\n\r\n`)
    expect(statuses(responses)).toEqual([...Array(count).fill(200), 400])
  })

  it('get no response if the client has announced that it closes the connection', async () => {
    const { url } = await startTestServer()
    const last = head('GET /livez HTTP/1.1', { connection: 'close' })
    expect(statuses(await untilClosed(url, `${last}JUNK\r\n\r\n`))).toEqual([200])
  })

  it('in the middle of a body cause a 400 response, after the responses to earlier requests', async () => {
    const { url } = await startTestServer(ADMIN)
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const broken = `${head('POST /admin/login HTTP/1.1', headers)}1\r\n{\r\nJUNK\r\n`
    expect(statuses(await untilClosed(url, broken))).toEqual([400])
    expect(statuses(await untilClosed(url, GET('/livez') + GET('/livez') + broken))).toEqual([200, 200, 400])
  })

  it('in a body that the server does not read cause no second response', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    const gone = once(socket.socket, 'close')
    socket.send(`${head('POST /nowhere HTTP/1.1', { 'transfer-encoding': 'chunked' })}1\r\n{\r\n`)
    await socket.until(/not_found/)
    socket.send('JUNK\r\n')
    await gone
    expect(statuses(await socket.until(/^/))).toEqual([404])
  })
})

describe('a CONNECT request', () => {
  it.each(['service.test:443', '127.0.0.1:22', 'metrics', '/metrics'])('to %s is refused with 405', async (target) => {
    const { url } = await startTestServer()
    const text = await untilClosed(url, head(`CONNECT ${target} HTTP/1.1`, { 'x-request-id': 'mine' }))
    expect(refusalIn(text)).toEqual({ status: 405, code: 'method_not_allowed', requestId: 'mine' })
    expect(text).toContain('\r\nallow: GET, HEAD, POST, PATCH, DELETE, OPTIONS\r\n')
  })

  it('is refused after the responses to earlier requests, and later bytes are discarded', async () => {
    const { url } = await startTestServer()
    const text = await untilClosed(url, GET('/livez') + head('CONNECT service.test:443 HTTP/1.1') + GET('/livez'))
    expect(statuses(text)).toEqual([200, 405])
  })

  it('does not affect other clients if the client that sent it resets the connection', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    const gone = once(socket.socket, 'close')
    socket.send(head('CONNECT service.test:443 HTTP/1.1'))
    await socket.until(/method_not_allowed/)
    socket.socket.resetAndDestroy()
    await gone
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('does not delay the stop of the server, even if the client does not read the responses', async () => {
    const { url, close } = await startTestServer({}, { graceMs: 50 })
    const socket = await openRaw(url)
    socket.socket.pause()
    socket.send(GET('/docs/swagger-ui-bundle.js').repeat(12) + head('CONNECT service.test:443 HTTP/1.1'))
    // The response to another request shows that the server has read the requests of the socket.
    await (await fetch(`${url}/docs/swagger-ui-bundle.js`)).arrayBuffer()
    await close()
  })
})

it.each(['websocket', 'h2c', 'TLS/1.0'])(
  'a request to upgrade to %s gets an ordinary response, and the connection is not upgraded',
  async (upgrade) => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    socket.send(head('GET /livez HTTP/1.1', { connection: 'Upgrade', upgrade }))
    await socket.until(/"ok"/)
    socket.send(GET('/status'))
    expect(statuses(await socket.until(/"version"/))).toEqual([200, 200])
  },
)
