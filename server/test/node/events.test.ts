import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { startTestServer } from './running.ts'

const ADMIN = { username: 'root', password: 'root-password' }
const ENV = { FISH_ADMIN_USERNAME: ADMIN.username, FISH_ADMIN_PASSWORD: ADMIN.password }

/** The grace period is longer than a test may take, so a stop that waits for the grace period fails. */
const GRACE_MS = 3_600_000

/** Starts a server with the user Alex. */
async function startServer() {
  const server = await startTestServer(ENV, { graceMs: GRACE_MS })
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }
    return (await fetch(server.url + path, init)).json()
  }
  const { token } = await post('/admin/login', ADMIN)
  const authorization = { authorization: `Bearer ${token}` }
  await post('/admin/users', { name: 'Alex' }, authorization)
  const addFish = (name: string) =>
    post('/admin/users/Alex/fish?gamemode=earth', { fish: [{ name, rarity: 1 }] }, authorization)
  const open = () => fetch(`${server.url}/events?name=Alex&gamemode=earth`)
  return { ...server, addFish, open }
}

it('a stop ends all event streams properly and does not wait for the grace period', async () => {
  const server = await startServer()
  const texts = (await Promise.all([server.open(), server.open()])).map((response) => response.text())
  await server.addFish('Salmon')
  await server.close()
  for (const text of await Promise.all(texts)) expect(text).toMatch(/^retry: 5000\n\nevent: ready\n/)
})

it('a stop closes the connections of all streams without accumulating listeners', async () => {
  const server = await startServer()
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const sockets = Array.from({ length: 40 }, (_, index) => {
    // A client may have at most ten streams.
    const localAddress = `127.0.0.${2 + Math.floor(index / 10)}`
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), localAddress })
    socket.write('GET /events?name=Alex&gamemode=earth HTTP/1.1\r\nHost: fish.example\r\n\r\n')
    return socket
  })
  const texts = sockets.map((socket) => text(socket))
  await Promise.all(sockets.map((socket) => once(socket, 'readable')))
  await server.close()
  for (const received of await Promise.all(texts)) expect(received).toMatch(/event: ready\n.*\r\n0\r\n\r\n$/s)
  // Node warns if a socket accumulates listeners.
  expect(warnings).toEqual([])
})

it('the metrics count open event streams, and the count decreases when clients disconnect', async () => {
  const server = await startServer()
  const count = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(/^fish_event_streams (\d+)$/m.exec(text)?.[1])
  }
  const controller = new AbortController()
  const url = `${server.url}/events?name=Alex&gamemode=earth`
  const [first, other] = [await fetch(url, { signal: controller.signal }), await fetch(url)]
  await expect.poll(count).toBe(2)
  controller.abort()
  await expect.poll(count).toBe(1)
  await other.body?.cancel()
  await expect.poll(count).toBe(0)
  await expect(first.text()).rejects.toThrow()
})
