/**
 * Yields the chunks of a body, and throws the error of `tooLarge` if the body exceeds `maxBytes`. If the loop ends
 * early, the rest of the body stays unread. Call `body.cancel()` to discard the rest and close the connection.
 */
export async function* readChunks<Chunk extends Uint8Array>(
  body: ReadableStream<Chunk>,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Chunk, void, undefined> {
  const reader = body.getReader()
  let size = 0
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      size += chunk.value.byteLength
      if (size > maxBytes) throw tooLarge()
      yield chunk.value
    }
  } finally {
    reader.releaseLock()
  }
}
