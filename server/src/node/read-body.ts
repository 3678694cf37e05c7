import type { IncomingMessage } from 'node:http'
import type { BodyReader } from '../app/core/host.ts'

/** Reads the body of a request from its events, because a web stream takes a tenth of the CPU time of a write. */
export function bodyReaderOf(req: IncomingMessage): BodyReader {
  return (maxBytes, tooLarge) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(req.errored ?? new DOMException('The request was aborted.', 'AbortError'))
      if (req.closed || req.readableEnded) return fail()
      const chunks: Buffer<ArrayBuffer>[] = []
      let size = 0
      req
        .on('data', (chunk: Buffer<ArrayBuffer>) => {
          size += chunk.byteLength
          if (size <= maxBytes) {
            chunks.push(chunk)
            return
          }
          req.removeAllListeners('data').pause()
          reject(tooLarge())
        })
        .once('end', () => resolve(Buffer.concat(chunks)))
        .once('close', () => req.readableEnded || fail())
    })
}
