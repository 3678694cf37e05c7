import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Target } from './requests.ts'

/** A response that a test reads in steps. */
export interface SlowReader {
  readonly response: IncomingMessage
  /** Reads at least the given number of further bytes, then pauses. */
  readSome(bytes: number): Promise<void>
  /** Reads the rest of the response, and returns the whole decoded body. Rejects if the response is aborted. */
  readOn(): Promise<string>
  /** Closes the connection. */
  leave(): void
}

/** Sends a request over a new connection, and pauses after the first chunk of the response body. */
export async function openSlowly(
  { url }: Target,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SlowReader> {
  const request = get(`${url}${path}`, { agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // Without listeners, an abort while the test does not read would end the test run.
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
