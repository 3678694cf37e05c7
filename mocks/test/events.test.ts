import { get, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMock, type Mock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { request } from 'undici'
import { expect, it, onTestFinished } from 'vitest'

const SEED = { users: [{ name: 'Alex' }] }
const PATH = '/events?name=Alex&gamemode=earth'

async function openMock(options: Parameters<typeof createMock>[0] = {}): Promise<Mock> {
  const mock = await createMock({ seed: SEED, startAt: 0, ...options })
  onTestFinished(() => mock.close())
  return mock
}

const addFish = (mock: Mock, name: string) =>
  createClient({ ...mock.client('Alex'), gamemode: 'earth' }).fish.add({ name, rarity: 1 })

/** Returns a function that reads a response until the text matches a pattern. */
function readerOf(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  onTestFinished(() => reader.cancel().catch(() => {}))
  let text = ''
  return async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`The stream ended: ${text}`)
      text += new TextDecoder().decode(value)
    }
    return text
  }
}

it('a mock streams events directly, through MSW and over HTTP', async () => {
  const mock = await openMock()
  const server = await mock.serve()
  const msw = setupServer(...mock.handlers())
  msw.listen()
  onTestFinished(() => msw.close())
  const responses = [await mock.fetch(PATH), await fetch(mock.origin + PATH), await fetch(server.url + PATH)]
  const readers = responses.map(readerOf)
  for (const until of readers) await until(/event: ready/)
  await addFish(mock, 'Salmon')
  for (const until of readers) expect(await until(/event: catch(.|\n)*\n\n/)).toContain('"name":"Salmon"')
  expect(mock.requests.filter(({ route }) => route === 'events').map(({ status }) => status)).toEqual([200, 200, 200])
})

it('a mock streams events to intercepted requests of every HTTP client until the interception is closed', async () => {
  const mock = await openMock()
  const interception = await mock.listen()
  onTestFinished(() => interception.close())
  const url = mock.origin + PATH
  const viaHttp = await new Promise<IncomingMessage>((resolve, reject) => get(url, resolve).on('error', reject))
  const { body } = await request(url)
  const streams = [Readable.toWeb(viaHttp), Readable.toWeb(body), (await fetch(url)).body]
  const readers = streams.map((stream) => readerOf(new Response(stream as ReadableStream<Uint8Array>)))
  for (const until of readers) await until(/event: ready/)
  // Post one catch directly, and one catch through the intercepted network, which also carries the open streams.
  await addFish(mock, 'Salmon')
  await createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth' }).fish.add({
    name: 'Koi',
    rarity: 1,
  })
  for (const until of readers) expect(await until(/"Koi".*\n\n/)).toContain('"name":"Salmon"')
  await interception.close()
  for (const until of readers) await expect(until(/never/)).rejects.toThrow()
})

it('a mock no longer counts an intercepted stream when the client closes the stream', async () => {
  const mock = await openMock()
  const interception = await mock.listen()
  onTestFinished(() => interception.close())
  // One client may have ten open streams, so the twelve streams succeed only if closed streams do not count.
  for (let time = 0; time < 12; time += 1) {
    const { status, body } = await fetch(mock.origin + PATH)
    expect(status).toBe(200)
    await body?.cancel()
    await nextTurn()
  }
})

it('a mock schedules heartbeats by its own clock', async () => {
  const mock = await openMock()
  const until = readerOf(await mock.fetch(PATH))
  await until(/event: ready(.|\n)*\n\n/)
  expect(mock.clock.sleepers).toEqual([])
  const reading = until(/:\n\n:\n\n:\n\n$/)
  await mock.clock.advance(45_000)
  expect((await reading).match(/^:$/gm)).toHaveLength(3)
})

it('autoAdvance does not advance the clock for the heartbeats of an open stream', async () => {
  const mock = await openMock({ autoAdvance: true })
  const until = readerOf(await mock.fetch(PATH))
  await until(/event: ready/)
  await mock.clock.sleep(1000)
  expect(mock.clock.now()).toBe(1000)
})

it('a mock ends streams when the mock is closed or reset', async () => {
  const mock = await openMock()
  for (const end of [() => mock.reset(), () => mock.close()]) {
    const { body } = await mock.fetch(PATH)
    const reader = body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('event: ready')
    await end()
    expect((await reader?.read())?.done).toBe(true)
  }
})

it.each(['cut-body', 'reset-after-headers', 'malformed-json', 'wrong-shape', 'wrong-content-type'] as const)(
  'the fault %s affects the beginning of a stream',
  async (fault) => {
    const mock = await openMock()
    mock.fail(fault, { on: 'events' })
    const text = await mock
      .fetch(PATH)
      .then((response) => response.text())
      .catch((error: Error) => error.message)
    expect(text).not.toMatch(/^retry: 5000\n\nevent: ready\n.*\n.*\n\n$/)
    await readerOf(await mock.fetch(PATH))(/event: ready/)
  },
)
