import { Socket } from 'node:net'
import type { CreatedUser, Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { JoinedBodyRequest } from '../../src/node/joined-body.ts'
import { listen } from '../../src/node/listener.ts'
import { newFolder } from './data-folder.ts'
import { head, openRaw } from './raw-socket.ts'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password' }
const KIB = 1024
const remaining = (answer: string) =>
  [...answer.matchAll(/x-ratelimit-remaining: (\d+)/gi)].map(([, left]) => Number(left))

async function sendJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  return fetch(url, init)
}

async function createPlayer(url: string): Promise<CreatedUser> {
  const login = { username: 'boss', password: 'boss-password' }
  const { token } = (await (await sendJson(`${url}/admin/login`, login)).json()) as Session
  return (await (
    await sendJson(`${url}/admin/users`, { name: 'Alex' }, { authorization: `Bearer ${token}` })
  ).json()) as CreatedUser
}

async function postFish(url: string, player: CreatedUser, token: string): Promise<Response> {
  const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': player.apiKey }
  return fetch(`${url}/post/fish?name=Alex`, { method: 'POST', headers, body: token })
}

describe('over a real socket', () => {
  it('a catch is stored, returned by every read, and still stored after a restart', async () => {
    const env = { ...ADMIN, FISH_STORAGE: `file:${newFolder()}` }
    const first = await startTestServer(env)
    const player = await createPlayer(first.url)
    const token = await createFernet(player.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const saved = await postFish(first.url, player, token)
    expect(saved.status).toBe(201)
    const { id } = (await saved.json()) as { id: string }
    await first.close()

    const second = await startTestServer(env)
    const read = await fetch(`${second.url}/get/fish?name=alex&gamemode=earth`)
    expect(await read.json()).toEqual({ user: 'Alex', fish: [{ name: 'Salmon', rarity: 'Gold' }] })
    const replayed = await postFish(second.url, player, token)
    expect([replayed.status, ((await replayed.json()) as { id: string }).id]).toEqual([200, id])
    const authorization = `Basic ${btoa(`Alex:${player.password}`)}`
    const key = await fetch(`${second.url}/get/user/key`, { headers: { authorization } })
    expect(await key.json()).toEqual({ fernetKey: player.fernetKey })
  })

  it('a body in chunks of one byte reaches the app complete and in only a few pieces', async () => {
    const pieces: Uint8Array[] = []
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      logger: { info() {}, warn() {}, error() {} },
      isAccepting: () => true,
      fetch: async (request) => {
        for await (const piece of request.body ?? []) pieces.push(piece)
        return new Response('read')
      },
    })
    onTestFinished(() => server.close(0))
    const text = Array.from({ length: 50_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')
    const connection = await openRaw(server.url)
    connection.send(head('POST / HTTP/1.1', { 'transfer-encoding': 'chunked' }))
    connection.send(`${[...text].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)
    await connection.until(/read/)
    expect(Buffer.concat(pieces).toString()).toBe(text)
    expect(pieces.length).toBeLessThan(text.length / 100)
  })

  it('an unread chunked body pauses the socket at the usual high-water mark', () => {
    const request = new JoinedBodyRequest(new Socket())
    request.headers = { 'transfer-encoding': 'chunked' }
    expect([request.push(Buffer.alloc(1)), request.push(Buffer.alloc(request.readableHighWaterMark))]).toEqual([
      true,
      false,
    ])
  })

  it('an endless chunked body gets 413 while it is still being sent', async () => {
    const { url } = await startTestServer(ADMIN)
    const player = await createPlayer(url)
    const socket = await openRaw(url)
    const headers = { 'transfer-encoding': 'chunked', 'x-gamemode': 'earth', 'x-api-key': player.apiKey }
    socket.send(head('POST /post/fish?name=Alex HTTP/1.1', headers))
    const chunk = `4000\r\n${'A'.repeat(16 * KIB)}\r\n`
    let answered = false
    const answer = socket.until(/payload_too_large/).finally(() => {
      answered = true
    })
    for (let sent = 0; !answered && sent < 1000; sent += 1) {
      socket.send(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
    socket.socket.destroy()
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it.each(['stays', 'goes away'])(
    'a client that %s after the server refuses the body does not delay the stop of the server',
    async (then) => {
      // The grace period is longer than the test may take, so a stop that waits for the grace period fails.
      const server = await startTestServer(ADMIN, { graceMs: 600_000 })
      const player = await createPlayer(server.url)
      const socket = await openRaw(server.url)
      const headers = { 'content-length': '8000000', 'x-gamemode': 'earth', 'x-api-key': player.apiKey }
      socket.send(head('POST /post/fish?name=Alex HTTP/1.1', headers) + 'A'.repeat(8_000_000))
      expect(await socket.until(/payload_too_large/)).toMatch(/^HTTP\/1\.1 413 /)
      if (then === 'goes away') socket.socket.destroy()
      await server.close()
    },
  )

  it('requests count against the rate limit in every form of their target', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    const targets = [
      'http://service.test/status',
      '//status',
      '/%73tatus/',
      '/v1/status/',
      'http://elsewhere.test//v1/status?x',
    ]
    for (const [index, target] of targets.entries()) {
      socket.send(head(`GET ${target} HTTP/1.1`))
      const responses = await socket.until(new RegExp(`(?:"version"[^]*){${index + 1}}`))
      expect([target, remaining(responses).at(-1)]).toEqual([target, 24 - index])
    }
    const responses = await socket.until(/./)
    expect(responses.match(/HTTP\/1\.1 200 /g)).toHaveLength(targets.length)
  })

  it('pipelined requests get responses in order, and each request is counted', async () => {
    const { url } = await startTestServer()
    const socket = await openRaw(url)
    socket.send(head('GET /status HTTP/1.1') + head('HEAD /status HTTP/1.1') + head('GET /nowhere HTTP/1.1'))
    const responses = await socket.until(/not_found/)
    expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404'])
    expect(remaining(responses)).toEqual([24, 23, 22])
  })

  it.each([
    ['junk', 'JUNK\r\n\r\n', 400, 'malformed_request'],
    ['bytes of a TLS client', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed_request'],
    ['a header with a NUL', head('GET /status HTTP/1.1', { 'x-api-key': 'a\0b' }), 400, 'malformed_request'],
    ['an unknown method', head('X-ODD /status HTTP/1.1'), 400, 'malformed_request'],
    ['20 KiB of headers', head('GET /status HTTP/1.1', { 'x-large': 'a'.repeat(20 * KIB) }), 431, 'headers_too_large'],
  ])('%s gets an error in the usual form, and the connection is closed', async (_, text, status, code) => {
    const { url } = await startTestServer(ADMIN)
    const socket = await openRaw(url)
    socket.send(text)
    const [answerHead = '', body = ''] = (await socket.until(/"requestId":"[^"]+"\}/)).split('\r\n\r\n')
    expect(answerHead).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const { requestId, ...rest } = JSON.parse(body)
    expect(rest).toEqual({ error: expect.any(String), code })
    expect(answerHead).toContain(`x-request-id: ${requestId}`)
    expect(answerHead).toContain('connection: close')
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('a client that disconnects in the middle of a request does not affect other clients', async () => {
    const { url } = await startTestServer()
    for (const text of [
      'GET /sta',
      head('POST /post/fish?name=Alex HTTP/1.1', { 'content-length': '100' }),
      head('GET /demo/fish HTTP/1.1'),
    ]) {
      const socket = await openRaw(url)
      socket.send(text)
      socket.socket.destroy()
    }
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('a target that is not a path gets a 4xx response', async () => {
    const { url } = await startTestServer()
    for (const target of [
      '*',
      'http://',
      'http://[',
      '/%',
      '/\\..\\status',
      'status',
      'service.test:80',
      'http://[::1/status',
      '/?%ff',
      'ftp://x/status',
    ]) {
      const socket = await openRaw(url)
      socket.send(head(`OPTIONS ${target} HTTP/1.1`, { connection: 'close' }))
      const answer = await socket.until(/\r\n\r\n/)
      expect([target, answer.slice(0, 10)]).toEqual([target, 'HTTP/1.1 4'])
    }
  })

  it('X-Forwarded-For identifies the client only behind a trusted proxy', async () => {
    const trusting = await startTestServer({ FISH_TRUST_PROXY: '1', FISH_RATE_LIMIT: '1' })
    const ask = (url: string, forwarded: string) =>
      fetch(`${url}/status`, { headers: { 'x-forwarded-for': forwarded } })
    expect((await ask(trusting.url, '198.51.100.1')).status).toBe(200)
    expect((await ask(trusting.url, '6.6.6.6, 198.51.100.1')).status).toBe(429)
    expect((await ask(trusting.url, '198.51.100.2')).status).toBe(200)
    const plain = await startTestServer({ FISH_RATE_LIMIT: '1' })
    expect((await ask(plain.url, '198.51.100.1')).status).toBe(200)
    expect((await ask(plain.url, '198.51.100.2')).status).toBe(429)
  })
})
