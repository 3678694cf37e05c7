import type { AddressInfo } from 'node:net'
import { type App, createApp, createMemoryStorage } from '@fish-crab/server/app'
import { serve as serveHono } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import express from 'express'
import { Hono } from 'hono'
import { serve } from 'srvx'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import { describe, expect, onTestFinished, test } from 'vitest'

const OPTIONS = {
  secrets: { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' },
  passwords: {
    hash: async (password: string) => password,
    verify: async (one: string, other: string) => one === other,
  },
  version: '1.0.0',
}

/** A service with a limit of two requests, which reveals the address that is counted. */
const createService = () =>
  createApp({ ...OPTIONS, storage: createMemoryStorage(), rateLimit: { requests: 2, windowMs: 300_000 } })

/** The original classes. Hono on Node replaces the global classes of the whole process. */
const PLATFORM = { Request, Response }

/** Starts a host, and returns its URL. */
type StartHost = (app: App) => Promise<string>

const HOSTS: Readonly<Record<string, StartHost>> = {
  'Hono on Node': async (app) => {
    const hono = new Hono().all('*', (c) => app.fetch(c.req.raw, { address: getConnInfo(c).remote.address }))
    const server = serveHono({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 })
    onTestFinished(() => {
      server.close()
      Object.assign(globalThis, PLATFORM)
    })
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  'Express, mounted below a path': async (app) => {
    const host = express().use('/fish', async (req, res) => {
      await sendNodeResponse(res, await app.fetch(new NodeRequest({ req, res }), { address: req.ip }))
    })
    const server = host.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/fish`
  },
  srvx: async (app) => {
    const server = serve({
      fetch: (request) => app.fetch(request, { address: request.ip }),
      hostname: '127.0.0.1',
      port: 0,
      silent: true,
      gracefulShutdown: false,
    })
    onTestFinished(() => server.close(true))
    await server.ready()
    return server.url?.replace(/\/$/, '') ?? ''
  },
}

describe.each(Object.entries(HOSTS))('the app under %s', (_name, start) => {
  test('responds like the app without a host, and counts requests by the address of the client', async () => {
    const app = createService()
    const url = await start(app)
    const alone = await createService().fetch(new Request('http://localhost/demo/fish'), { address: '127.0.0.1' })
    const hosted = await fetch(`${url}/demo/fish`)
    expect({ status: hosted.status, body: await hosted.json() }).toEqual({ status: 200, body: await alone.json() })
    expect(hosted.headers.get('x-ratelimit-remaining')).toBe('1')
    expect((await fetch(`${url}/v1/demo/crab/`)).status).toBe(200)
    // The requests through the host have used up the limit of this address.
    const direct = (address: string) => app.fetch(new Request('http://localhost/demo/fish'), { address })
    expect((await direct('127.0.0.1')).status).toBe(429)
    expect((await direct('192.0.2.7')).status).toBe(200)
  })

  test('reads the body of a request and returns errors in their usual form', async () => {
    const url = await start(createService())
    const response = await fetch(`${url}/admin/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'nobody', password: 'a wrong password' }),
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'invalid_credentials', requestId: expect.any(String) })
    expect((await fetch(`${url}/nowhere`)).headers.get('content-type')).toContain('application/json')
  })
})

describe('the address of a client', () => {
  test.each([
    ['it is not passed', undefined, undefined],
    ['it is not a string, like the arguments of some hosts', { address: { port: 1 } }, undefined],
    ['clientAddress is asynchronous', undefined, async () => '127.0.0.1'],
    ['clientAddress returns an empty text', undefined, () => ''],
  ])('is reported as missing in the log, and causes internal_error, if %s', async (_title, host, clientAddress) => {
    const logged: unknown[] = []
    const logger = { info() {}, warn() {}, error: ({ err }: { err?: unknown }) => void logged.push(err) }
    const app = createApp({
      ...OPTIONS,
      storage: createMemoryStorage(),
      logger,
      ...(clientAddress ? { clientAddress: clientAddress as unknown as () => string } : {}),
    })
    const response = await app.fetch(new Request('http://localhost/demo/fish'), host)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ code: 'internal_error', requestId: expect.any(String) })
    expect(logged).toEqual([
      expect.objectContaining({ message: expect.stringContaining('app.fetch(request, { address })') }),
    ])
  })

  test('that the host passes overrides the result of clientAddress', async () => {
    const limit = { requests: 1, windowMs: 300_000 }
    const app = createApp({
      ...OPTIONS,
      storage: createMemoryStorage(),
      rateLimit: limit,
      clientAddress: () => '192.0.2.1',
    })
    const ask = (host?: { address: string }) => app.fetch(new Request('http://localhost/demo/fish'), host)
    expect((await ask({ address: '192.0.2.2' })).status).toBe(200)
    expect((await ask()).status).toBe(200)
    expect((await ask({ address: '192.0.2.2' })).status).toBe(429)
  })
})

test('createApp encrypts keys with the encryption that the host passes', async () => {
  const storage = createMemoryStorage()
  const encryption = {
    encrypt: async (text: string, owner: string) => `${owner} ${text}`,
    decrypt: async (encrypted: string, owner: string) => encrypted.slice(owner.length + 1),
    isCurrent: async () => true,
    reencrypt: async (encrypted: string) => encrypted,
  }
  const app = createApp({ ...OPTIONS, storage, encryption })
  const { id, fernetKey } = await app.users.create({ name: 'Alex' })
  const { items } = await storage.listItems({ base: 'secret:', contains: ':fernet', limit: 2 })
  expect(items.map(({ value }) => value)).toEqual([`${id} ${fernetKey}`])
})

describe('createApp refuses', () => {
  const storage = createMemoryStorage()
  const refused = (options: object) => () => createApp({ ...OPTIONS, storage, ...options })

  test.each([
    ['a blank secret for keys at rest', { secrets: { ...OPTIONS.secrets, encryption: '' } }, 'secrets.encryption'],
    ['a session secret that is too short', { secrets: { ...OPTIONS.secrets, session: 'a' } }, 'at least 32 bytes'],
    ['no secrets', { secrets: undefined }, 'secrets.encryption'],
    [
      'previous secrets that are not strings',
      { secrets: { ...OPTIONS.secrets, previousEncryption: [1] } },
      'secrets.previousEncryption',
    ],
    ['a storage that is only items', { storage: storage.items }, 'wrapDriver()'],
    ['passwords without a function', { passwords: { hash: () => '' } }, 'verify(password, hash)'],
    ['an encryption that does not decrypt', { encryption: { encrypt: () => '' } }, 'decrypt(encrypted, owner)'],
    ['no version', { version: undefined }, 'version'],
    ['a clientAddress that is an address', { clientAddress: '127.0.0.1' }, 'clientAddress must be a function'],
    ['a limit of 0', { rateLimit: { requests: 0, windowMs: 1 } }, 'rateLimit'],
    ['an encoder that encodes no streams', { contentEncoder: { codings: ['gzip'], encode() {} } }, 'contentEncoder'],
    ['origins that are not a list', { allowedOrigins: 'https://a.example' }, 'allowedOrigins'],
  ])('%s, and describes the valid value', (_title, options, message) => {
    expect(refused(options)).toThrow(TypeError)
    expect(refused(options)).toThrow(message)
  })

  test('missing options, and names the first missing option', () => {
    expect(() => (createApp as () => unknown)()).toThrow(/^createApp: storage must come from/)
  })

  test('an invalid secret, and does not repeat the secret', () => {
    expect(refused({ secrets: { encryption: 'x', session: 'hunter2' } })).not.toThrow('hunter2')
  })
})
