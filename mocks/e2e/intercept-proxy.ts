import { createServer, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Creates a forward proxy for absolute-form requests and CONNECT tunnels, which counts both. */
export function createProxy() {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((incoming, response) => {
    requests += 1
    const { method, headers, url = '' } = incoming
    const onward = request(url, { method, headers, agent: false }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers)
      incoming.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.on('connect', ({ url = '' }, client: Socket) => {
    requests += 1
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        upstream.destroy()
        client.destroy()
      })
    }
  })
  return {
    server,
    reached: () => requests,
    end() {
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
    },
  }
}
