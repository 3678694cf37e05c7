import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClock } from '../../src/service/clock.ts'
import type { HandleRequest } from '../../src/service/outcome.ts'
import { flushTasks } from '../../src/service/waiting.ts'
import { type InterceptOptions, intercept, UnhandledRequestError } from '../../src/transports/intercept.ts'

/** Creates a handler that responds with a name, the transport and the request. */
const respondWith =
  (name: string): HandleRequest =>
  async (request, transport) => {
    const { pathname } = new URL(request.url)
    const body = await request.text()
    return { response: new Response(`${name} ${transport} ${request.method} ${pathname} ${body}`.trim()), delayMs: 0 }
  }
const silent: HandleRequest = async () => ({ response: new Response(), delayMs: 0, networkFault: { kind: 'silence' } })
const slow: HandleRequest = async () => ({ response: new Response('late'), delayMs: 30 })
const text = async (url: string, init?: RequestInit) => (await fetch(url, init)).text()
const causeOf = (call: Promise<unknown>) => call.then(String, (error: Error) => error.cause)

describe('an interception', () => {
  it('passes the method, path and body of a request to the mock', async () => {
    await using _ = await intercept({ handle: respondWith('mock'), origin: 'http://one.test' })
    expect(await text('http://one.test/fish')).toBe('mock intercept GET /fish')
    expect(await text('http://one.test/fish', { method: 'POST', body: 'Cod' })).toBe('mock intercept POST /fish Cod')
  })

  it('passes each request only to the mock of its origin, even after a mock of a different origin closes', async () => {
    const origins = Array.from({ length: 20 }, (_, index) => `http://mock-${index}.test`)
    const all = await Promise.all(origins.map((origin) => intercept({ handle: respondWith(origin), origin })))
    const requestAll = () => Promise.all(origins.flatMap((origin) => [text(`${origin}/a`), text(`${origin}/b`)]))
    const responses = origins.flatMap((origin) => [`${origin} intercept GET /a`, `${origin} intercept GET /b`])
    expect(await requestAll()).toEqual(responses)
    await all[0]?.close()
    expect(await causeOf(fetch('http://mock-0.test/a'))).toBeInstanceOf(UnhandledRequestError)
    expect(await text('http://mock-1.test/a')).toBe('http://mock-1.test intercept GET /a')
    await Promise.all(all.map((interception) => interception.close()))
  })

  it('rejects a second mock for the same origin until the first mock closes', async () => {
    const options: InterceptOptions = { handle: respondWith('mock'), origin: 'http://two.test' }
    const first = await intercept(options)
    await expect(intercept({ ...options, origin: 'http://two.test:80/' })).rejects.toThrow('already listens')
    await first.close()
    await first.close()
    await using _ = await intercept(options)
    expect(await text('http://two.test/again')).toBe('mock intercept GET /again')
  })

  it('rejects an invalid origin', async () => {
    await expect(intercept({ handle: silent, origin: 'fish' })).rejects.toThrow(TypeError)
    await expect(intercept({ handle: silent, origin: 'http://a.test', passthrough: ['b'] })).rejects.toThrow(TypeError)
  })

  it('resets requests in flight when the interception closes', async () => {
    const received = Promise.withResolvers<void>()
    const handle: HandleRequest = (...args) => {
      received.resolve()
      return silent(...args)
    }
    const interception = await intercept({ handle, origin: 'http://silent.test' })
    const owed = causeOf(fetch('http://silent.test/'))
    await received.promise
    await interception.close()
    expect(await owed).toMatchObject({ code: 'ECONNRESET' })
  })

  it('stops delaying a response when the client disconnects', async () => {
    await using _ = await intercept({ handle: slow, origin: 'http://slow.test' })
    const aborted = fetch('http://slow.test/', { signal: AbortSignal.timeout(5) })
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await text('http://slow.test/')).toBe('late')
  })

  it('delays a response correctly if the clock is advanced while the request is handled', async () => {
    const clock = createClock({ startAt: 0 })
    const received = Promise.withResolvers<void>()
    const handle: HandleRequest = (...args) =>
      clock.during(async () => {
        received.resolve()
        await flushTasks((turns) => turns < 5)
        return { ...(await slow(...args)), delayMs: 60_000 }
      })
    await using _ = await intercept({ handle, origin: 'http://slow.test', sleep: clock.hold })
    const response = text('http://slow.test/')
    await received.promise
    await clock.advance(60_000)
    expect(await response).toBe('late')
  })

  it('closes the connection, as a server does, after a request with the header connection: close', async () => {
    await using _ = await intercept({ handle: respondWith('mock'), origin: 'http://once.test' })
    const headers = { connection: 'close' }
    for (let count = 0; count < 4; count += 1) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get('http://once.test/fish', { headers }, resolve).on('error', reject)
      })
      expect(response.headers.connection).toBe('close')
      expect(await readText(response)).toBe('mock intercept GET /fish')
    }
  })

  it('fails a request with the original error if the mock itself fails', async () => {
    const broken = () => Promise.reject(new Error('The mock is broken.'))
    await using _ = await intercept({ handle: broken, origin: 'http://broken.test' })
    expect(await causeOf(fetch('http://broken.test/'))).toMatchObject({ message: 'The mock is broken.' })
  })
})

describe('requests to other origins', () => {
  let server: Server
  let origin: string
  beforeAll(async () => {
    server = createServer((_, response) => response.end('real'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const mocked = { handle: respondWith('mock'), origin: 'http://fish.test' }

  it('fail with an error that contains the origin and the name of the option that allows the origin, but not the path', async () => {
    await using _ = await intercept(mocked)
    const error = await causeOf(fetch(`${origin}/private?token=secret`))
    expect(error).toBeInstanceOf(UnhandledRequestError)
    expect(error).toMatchObject({ code: 'ERR_UNHANDLED_REQUEST', origin })
    expect(String(error)).toContain(`listen({ passthrough: ['${origin}'] })`)
    expect(String(error)).not.toMatch(/private|secret/)
  })

  it.each([
    ['the exact origin', () => origin],
    ['loopback', () => 'loopback'],
  ])('are sent if passthrough contains %s', async (_, allowed) => {
    await using _interception = await intercept({ ...mocked, passthrough: [allowed()] })
    const responses = await Promise.all(Array.from({ length: 10 }, () => text(origin)))
    expect(new Set(responses)).toEqual(new Set(['real']))
    expect(await text(origin)).toBe('real')
    expect(await causeOf(fetch('http://elsewhere.test/'))).toBeInstanceOf(UnhandledRequestError)
  })

  it('are sent if every open mock bypasses unhandled requests, but not if one of the mocks is strict', async () => {
    const lenient = await intercept({ ...mocked, onUnhandled: 'bypass' })
    expect(await text(origin)).toBe('real')
    const strict = await intercept({ ...mocked, origin: 'http://strict.test' })
    expect(await causeOf(fetch(origin))).toBeInstanceOf(UnhandledRequestError)
    await strict.close()
    expect(await text(origin)).toBe('real')
    await lenient.close()
  })

  it('are sent, and a process warning is emitted, if onUnhandled is warn', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    await using _ = await intercept({ ...mocked, onUnhandled: 'warn' })
    expect(await text(origin)).toBe('real')
    expect(await warned).toMatchObject({ name: 'UnhandledRequestWarning', message: expect.stringContaining(origin) })
  })
})
