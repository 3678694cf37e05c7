import nodeHttp from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { expect, it } from 'vitest'

async function listening() {
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const network = setupServer(...mock.handlers())
  network.listen({ onUnhandledFrame: 'bypass' })
  const text = async (path: string) => (await fetch(mock.origin + path)).text()
  return { mock, network, text, [Symbol.dispose]: () => network.close() }
}

it('handlers that are added later override the handlers of a mock until resetHandlers() is called', async () => {
  using server = await listening()
  const { mock, network, text } = server
  network.use(
    http.get(`${mock.origin}/livez`, () => HttpResponse.text('once'), { once: true }),
    http.get(`${mock.origin}/demo/fish`, () => undefined),
  )
  expect([await text('/livez'), await text('/livez')]).toEqual(['once', '{"status":"ok"}'])
  expect(await text('/demo/fish')).toContain('"user":"demo"')
  network.restoreHandlers()
  expect(await text('/livez')).toBe('once')
  network.resetHandlers()
  expect(await text('/livez')).toBe('{"status":"ok"}')
  expect(network.listHandlers()).toHaveLength(1)
})

it('the handlers of a mock leave requests to unmocked origins to later MSW handlers', async () => {
  using server = await listening()
  const { mock, network, text } = server
  const others = ['http://elsewhere.test', `${mock.origin}.example`, mock.origin.replace('http:', 'https:')]
  network.resetHandlers(
    ...mock.handlers(),
    http.all('*', () => HttpResponse.text('another')),
  )
  expect(await text('/livez')).toBe('{"status":"ok"}')
  for (const other of others) expect(await (await fetch(`${other}/livez`)).text()).toBe('another')
  expect(mock.requests).toHaveLength(1)
})

it('the handlers of a mock, like a server, close the connection after a request with the header connection: close', async () => {
  using server = await listening()
  const headers = { connection: 'close' }
  for (let count = 0; count < 4; count += 1) {
    const response = await new Promise<nodeHttp.IncomingMessage>((resolve, reject) => {
      nodeHttp.get(`${server.mock.origin}/livez`, { headers }, resolve).on('error', reject)
    })
    expect(response.headers.connection).toBe('close')
    expect(await readText(response)).toBe('{"status":"ok"}')
  }
})

it('event listeners of MSW can also read the bodies of requests and responses', async () => {
  using server = await listening()
  const { mock, network } = server
  const sent: Promise<string>[] = []
  const responded: Promise<string>[] = []
  network.events.on('request:start', ({ request }) => {
    sent.push(request.clone().text())
  })
  network.events.on('response:mocked', ({ response }) => {
    responded.push(response.clone().text())
  })
  const client = createClient({ ...mock.client('Alex', { transport: 'network' }), gamemode: 'earth' })
  const { id } = await client.fish.add({ name: 'Salmon', rarity: 'gold' })
  await expect.poll(() => responded.length).toBe(1)
  expect(await Promise.all(sent)).toEqual([expect.stringMatching(/^gAAAA/)])
  expect(JSON.parse(String(await responded[0]))).toMatchObject({ id })
  expect(mock.sent.fish()).toMatchObject([{ name: 'Salmon' }])
})

it('listen() beside a listening MSW server fails with an error that names handlers(), and leaves that server unchanged', async () => {
  await using other = await createMock()
  {
    using server = await listening()
    await expect(other.listen()).rejects.toThrow(
      'listen() cannot intercept fetch, since another library already does, such as setupServer of MSW. ' +
        'Add the mock to that server instead: server.use(...mock.handlers()).',
    )
    expect(await server.text('/livez')).toBe('{"status":"ok"}')
    const viaHttp = new Promise((resolve) =>
      nodeHttp.get(`${server.mock.origin}/livez`, (got) => resolve(readText(got))),
    )
    expect(await viaHttp).toBe('{"status":"ok"}')
  }
  await other.listen()
  expect((await fetch(`${other.origin}/livez`)).status).toBe(200)
})
