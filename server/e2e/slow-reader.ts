import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Target } from './requests.ts'

/** A response that is read only as far as somebody asks. */
export interface SlowReader {
  readonly response: IncomingMessage
  /** Reads the next pieces until there are this many bytes more, then stands still again. */
  readSome(bytes: number): Promise<void>
  /** Reads to the end; returns all of it, decoded. Rejects when the response is broken off. */
  readOn(): Promise<string>
  /** Hangs up. */
  leave(): void
}

/** Sends a request on a connection of its own and stands still once the first piece of the response is there. */
export async function openSlowly(
  { url }: Target,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SlowReader> {
  const request = get(`${url}${path}`, { agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // A response that is broken off while nobody reads it must not end the test run.
  response.on('error', () => {})
  request.on('error', () => {})
  const arriving: AsyncIterator<Buffer> = response[Symbol.asyncIterator]()
  const pieces: Buffer[] = []
  const readSome = async (bytes: number) => {
    for (let read = 0; read < bytes; ) {
      const piece = await arriving.next()
      if (piece.done) return
      pieces.push(piece.value)
      read += piece.value.length
    }
  }
  await readSome(1)
  return {
    response,
    readSome,
    async readOn() {
      await readSome(Number.POSITIVE_INFINITY)
      if (!response.complete) throw new Error('The response was broken off.')
      const bytes = Buffer.concat(pieces)
      return String(response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)
    },
    leave: () => void request.destroy(),
  }
}
