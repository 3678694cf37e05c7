import { once } from 'node:events'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'boss', FISH_ADMIN_PASSWORD: 'boss-password' }
const READ = '/get/fish?name=Alex&gamemode=earth&detail=full'
const KIB = 1024

/** Starts a server with this number of fish, which are added in batches of 500. */
async function serverWith(fish: number): Promise<string> {
  const { url } = await startTestServer({ ...ADMIN, FISH_RATE_LIMIT: '100000' })
  const send = async (path: string, body: unknown, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const login = await send('/admin/login', { username: 'boss', password: 'boss-password' })
  const { token } = (await login.json()) as { token: string }
  const authorization = { authorization: `Bearer ${token}` }
  await send('/admin/users', { name: 'Alex' }, authorization)
  for (let from = 0; from < fish; from += 500) {
    const batch = Array.from({ length: 500 }, () => ({ name: crypto.randomUUID().padEnd(100, '~'), rarity: 1 }))
    const added = await send('/admin/users/Alex/fish?gamemode=earth', { fish: batch }, authorization)
    expect(added.status).toBe(201)
  }
  return url
}

/** The bytes of array buffers after a garbage collection. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let held = Number.POSITIVE_INFINITY
  for (let now = 0; now < held; now = process.memoryUsage().arrayBuffers) {
    if (now > 0) held = now
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return held
}

it('a large collection needs little memory for each client that does not read the response', async () => {
  const url = await serverWith(20_000)
  const { hostname, port } = new URL(url)
  await (await fetch(url + READ, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer()
  const before = await heldBytes()
  const clients = 20
  const sockets = Array.from({ length: clients }, () => new Socket().pause())
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) {
    socket.on('error', () => {}).connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`GET ${READ} HTTP/1.1\r\nhost: a\r\naccept-encoding: identity\r\n\r\n`)
  }
  let held = await heldBytes()
  // The loop waits until memory stops growing, since all connections are full then.
  for (let last = -1; held > last; held = await heldBytes()) {
    last = held
    await Promise.all(Array.from({ length: 4 }, () => fetch(`${url}/demo/fish`).then((response) => response.text())))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect((held - before) / clients).toBeLessThan(200 * KIB)
})
