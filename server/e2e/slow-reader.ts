import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Target } from './requests.ts'

/** An answer that is read only as far as somebody asks. */
export interface SlowReader {
  readonly answer: IncomingMessage
  /** Reads the next pieces until there are this many bytes more, then stands still again. */
  readSome(bytes: number): Promise<void>
  /** Reads to the end; answers all of it, decoded. Rejects when the answer is broken off. */
  readOn(): Promise<string>
  /** Hangs up. */
  leave(): void
}

/** Sends a request on a connection of its own and stands still once the first piece of the answer is there. */
export async function openSlowly(
  { url }: Target,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SlowReader> {
  const request = get(`${url}${path}`, { agent: false, headers })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  // An answer that is broken off while nobody reads it must not end the test run.
  answer.on('error', () => {})
  request.on('error', () => {})
  const arriving: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]()
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
    answer,
    readSome,
    async readOn() {
      await readSome(Number.POSITIVE_INFINITY)
      if (!answer.complete) throw new Error('The answer was broken off.')
      const bytes = Buffer.concat(pieces)
      return String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)
    },
    leave: () => void request.destroy(),
  }
}
