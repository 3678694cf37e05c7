import { once } from 'node:events'
import { connect } from 'node:net'
import { type CreatedUser, HEADERS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { cpuOf, memoryOf, resetPeak, type Server } from './processes.ts'

/** The result of a load: requests per second, and the median and 99th percentile of the latency in milliseconds. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  /** The number of requests. With `Infinity`, the load runs until `isRunning` returns false. */
  readonly requests: number
  /** Returns the text of the next request. */
  readonly next: () => string
  /** Runs before each request. If the result is false, the load ends. @default always true */
  readonly isRunning?: () => boolean
}

const HEAD_END = '\r\n\r\n'
/** The last chunk of a chunked body (RFC 9112, section 7.1). */
const LAST_CHUNK = '\r\n0\r\n\r\n'

/**
 * Sends requests over keep-alive connections. Each connection sends its next request after the previous response. To
 * use little CPU, the load parses only the status and the length of a response.
 * @throws Error when a response is neither 2xx nor 304
 */
export async function load({ port, connections, requests, next, isRunning = () => true }: LoadOptions): Promise<Load> {
  const latencies: number[] = []
  let left = requests
  const startedAt = performance.now()
  const one = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    const ended = once(socket, 'close')
    let sentAt = 0
    let isOver = createEndDetector()
    const send = () => {
      if (left === 0 || !isRunning()) return socket.end()
      left -= 1
      sentAt = performance.now()
      return socket.write(next())
    }
    socket.on('data', (chunk: Buffer) => {
      try {
        if (!isOver(chunk)) return
      } catch (error) {
        socket.destroy(error as Error)
        return
      }
      latencies.push(performance.now() - sentAt)
      isOver = createEndDetector()
      send()
    })
    send()
    await ended
  }
  await Promise.all(Array.from({ length: connections }, one))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) }
}

/**
 * @returns a function that takes the chunks of one response and returns whether the response is complete. The function
 * stores only the head and the last bytes of the response
 */
function createEndDetector(): (chunk: Buffer) => boolean {
  let head: Buffer = Buffer.alloc(0)
  let left: number | undefined
  let isChunked = false
  let tail = ''
  const takeBody = (body: Buffer) => {
    if (isChunked) {
      tail = (tail + body.toString('latin1', Math.max(0, body.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length)
      return tail === LAST_CHUNK
    }
    left = (left ?? 0) - body.length
    return left <= 0
  }
  return (chunk) => {
    if (left !== undefined || isChunked) return takeBody(chunk)
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    const end = head.indexOf(HEAD_END)
    if (end === -1) return false
    const [status = '', ...lines] = head.toString('latin1', 0, end).toLowerCase().split('\r\n')
    const header = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
    const length = status.startsWith('http/1.1 304') ? '0' : header('content-length')
    isChunked = length === undefined && header('transfer-encoding')?.trim() === 'chunked'
    if (!/^http\/1\.1 (?:2|304)/.test(status) || (length === undefined && !isChunked)) {
      throw new Error(`Unexpected response: ${head.toString('latin1')}`)
    }
    left = Number(length ?? 0)
    return takeBody(head.subarray(end + HEAD_END.length))
  }
}

export function get(path: string, headers: Readonly<Record<string, string>> = {}): () => string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `GET ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}\r\n`
  return () => text
}

interface Posts {
  readonly count: number
  /** @default 'fish' */
  readonly kind?: Kind
  /** @default 'earth' */
  readonly gamemode?: string
  /** The number of catches in each request. @default one catch in the short form */
  readonly catches?: number
  /** The length of each name in characters. @default the shortest names */
  readonly nameLength?: number
  /** Whether no name occurs in two requests. @default false */
  readonly areDistinct?: boolean
}

/** Prepares requests that store catches, each with its own token. */
export async function encryptPosts(
  { name, fernetKey }: Pick<CreatedUser, 'name' | 'fernetKey'>,
  { count, kind = 'fish', gamemode = 'earth', catches = 1, nameLength = 0, areDistinct = false }: Posts,
): Promise<readonly string[]> {
  const fernet = createFernet(fernetKey)
  const head = `POST /post/${kind}?name=${name} HTTP/1.1\r\nHost: bench\r\n${HEADERS.gamemode}: ${gamemode}\r\n`
  const rarity = kind === 'fish' ? { rarity: 3 } : {}
  const payload = (at: number) => {
    if (catches === 1) return { fish: `Salmon ${at}`, ...rarity }
    return {
      [kind]: Array.from({ length: catches }, (_, index) => ({
        name: longName(`Salmon ${areDistinct ? at * catches + index : at + index}`, nameLength),
        ...rarity,
      })),
    }
  }
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const token = await fernet.encrypt(JSON.stringify(payload(at)))
      return `${head}Content-Type: ${MEDIA_TYPES.token}\r\nContent-Length: ${token.length}\r\n\r\n${token}`
    }),
  )
}

/** Fills a name up to a number of characters with characters of four bytes, the largest in UTF-8. */
function longName(name: string, length: number): string {
  return name + '𩸽'.repeat(Math.max(0, length - name.length))
}

/** Returns a function that returns the next request. The function throws an error if no request remains. */
export function inTurn(requests: readonly string[]): () => string {
  let at = 0
  return () => {
    const request = requests[at++]
    if (request === undefined) throw new Error('No request remains. Prepare more.')
    return request
  }
}

export interface LoadSample extends Load {
  /** The CPU time of the server per request, in microseconds. */
  readonly cpu: number
  /** The peak of the server's resident memory during the load, in megabytes. */
  readonly memory: number
}

/** Returns a function that measures a server under a load. */
export function underLoad(server: Server, options: Omit<LoadOptions, 'port'>): () => Promise<LoadSample> {
  return async () => {
    resetPeak(server)
    const before = cpuOf(server)
    const loaded = await load({ port: server.port, ...options })
    return { ...loaded, cpu: (cpuOf(server) - before) / options.requests, memory: memoryOf(server).peak }
  }
}
