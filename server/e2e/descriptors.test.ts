import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../scripts/test-support/redis-server.ts'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'

const DESCRIPTORS = 512
const LAUNCHER = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`]

test('a client that opens more connections than the server has file descriptors does not block other clients', async ({
  skip,
}) => {
  if (process.platform !== 'linux') return skip('Only Linux has further addresses of the loopback interface.')
  const server = await startServerProcess({ FISH_STORAGE: 'memory:' }, LAUNCHER)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const { port } = new URL(server.url)
  const sockets = Array.from({ length: DESCRIPTORS }, () => idle(Number(port)))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const refused = () => sockets.filter(({ destroyed }) => destroyed).length
  // The server reserves 128 descriptors, and allows one client a quarter of the rest.
  await expect.poll(refused).toBe(DESCRIPTORS - (DESCRIPTORS - 128) / 4)
  for (let request = 0; request < 5; request += 1) {
    const response = await fetch(`${server.url}/livez`, { headers: { connection: 'close' } })
    expect(response.status).toBe(200)
  }
})

test('clients that exhaust their connections to the server and to the metrics listener do not block other clients', async ({
  skip,
}) => {
  if (process.platform !== 'linux') return skip('Only Linux has further addresses of the loopback interface.')
  const metrics = await freePort()
  const env = { FISH_STORAGE: 'memory:', FISH_METRICS: `127.0.0.1:${metrics}` }
  const server = await startServerProcess(env, LAUNCHER)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const share = (DESCRIPTORS - 128) / 4
  const ports = [Number(new URL(server.url).port), metrics]
  const sockets = ports.flatMap((port) =>
    ['127.0.0.7', '127.0.0.8', '127.0.0.9'].flatMap((address) =>
      Array.from({ length: share }, () => idle(port, address)),
    ),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  // The metrics listener accepts 64 connections, a quarter of them from one client.
  await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBe(3 * share - 3 * 16)
  for (let request = 0; request < 5; request += 1) {
    const response = await fetch(`${server.url}/livez`, { headers: { connection: 'close' } })
    expect(response.status).toBe(200)
  }
})

function idle(port: number, localAddress = '127.0.0.9'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  // Refused connections are reset, and an `error` event without a listener would fail the test.
  socket.on('error', () => {})
  return socket.resume()
}
