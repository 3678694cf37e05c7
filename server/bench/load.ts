import { once } from 'node:events'
import { connect } from 'node:net'

/** Outcome of a load: requests a second, and latencies in milliseconds. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly requests: number
  /** Bytes of the next request. */
  readonly next: () => string
}

const HEAD_END = '\r\n\r\n'

/**
 * Sends requests over connections that are kept alive, each after the response to the one before. Parses no more than the
 * status and the length, so that it takes as little of the machine as possible.
 * @throws Error when a response is neither 2xx nor 304
 */
export async function load({ port, connections, requests, next }: LoadOptions): Promise<Load> {
  const latencies: number[] = []
  let left = requests
  const startedAt = performance.now()
  const one = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    const ended = once(socket, 'close')
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const send = () => {
      if (left === 0) return socket.end()
      left -= 1
      sentAt = performance.now()
      return socket.write(next())
    }
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const head = received.indexOf(HEAD_END)
      if (head === -1) return
      const [status = '', ...lines] = received.toString('latin1', 0, head).toLowerCase().split('\r\n')
      const unchanged = status.startsWith('http/1.1 304') ? '0' : undefined
      const length =
        unchanged ?? lines.find((line) => line.startsWith('content-length:'))?.slice('content-length:'.length)
      if (!/^http\/1\.1 (?:2|304)/.test(status) || length === undefined) {
        socket.destroy(new Error(`Unexpected response: ${received.toString('latin1')}`))
        return
      }
      if (received.length < head + HEAD_END.length + Number(length)) return
      latencies.push(performance.now() - sentAt)
      received = Buffer.alloc(0)
      send()
    })
    send()
    await ended
  }
  await Promise.all(Array.from({ length: connections }, one))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { perSecond: requests / seconds, p50: at(0.5), p99: at(0.99) }
}
