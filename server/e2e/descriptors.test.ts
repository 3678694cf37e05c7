import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'

const DESCRIPTORS = 512
const LAUNCHER = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`]

test('a client that opens more connections than the process may have descriptors shuts nobody out', async ({
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
  // A quarter of those that the service may have.
  await expect.poll(refused).toBe(DESCRIPTORS - (DESCRIPTORS - 128) / 4)
  for (let request = 0; request < 5; request += 1) {
    const response = await fetch(`${server.url}/livez`, { headers: { connection: 'close' } })
    expect(response.status).toBe(200)
  }
})

function idle(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' })
  // A connection that is refused is reset.
  socket.on('error', () => {})
  return socket.resume()
}
