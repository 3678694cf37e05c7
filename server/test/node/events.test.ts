import { expect, it } from 'vitest'
import { startTestServer } from './running.ts'

const ADMIN = { username: 'root', password: 'root-password' }
const ENV = { FISH_ADMIN_USERNAME: ADMIN.username, FISH_ADMIN_PASSWORD: ADMIN.password }

/** Starts a server with the user Alex, with short limits of its connections. */
async function startServer() {
  const server = await startTestServer(ENV, { connections: { stalledMs: 200 }, graceMs: 10_000 })
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

it('a stop ends all event streams at once, and completely, instead of waiting for the grace', async () => {
  const server = await startServer()
  const texts = (await Promise.all([server.open(), server.open()])).map((response) => response.text())
  await server.addFish('Salmon')
  const startedAt = performance.now()
  await server.close()
  expect(performance.now() - startedAt).toBeLessThan(2000)
  for (const text of await Promise.all(texts)) expect(text).toMatch(/^retry: 2000\n\nevent: ready\n/)
})

it('the metrics count open event streams, which end when their clients disconnect', async () => {
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
