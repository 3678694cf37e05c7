import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Opens a port that forwards connections to a server on this machine until the test ends. */
export async function startWire(target: number) {
  const leadsTo = { port: target }
  const ends: Socket[] = []
  const server = createServer((near) => {
    const far = connect({ port: leadsTo.port, host: '127.0.0.1' })
    for (const end of [near, far]) end.on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far).pipe(near)
    ends.push(near, far)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    for (const end of ends) end.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** Forwards new connections to another server. */
    lead(port: number) {
      leadsTo.port = port
    },
    /** Stops forwarding without closing connections. Bytes in transit never arrive. */
    cut() {
      for (const end of ends) end.unpipe().pause()
    },
  }
}
