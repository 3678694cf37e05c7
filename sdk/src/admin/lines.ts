import { ConnectionError } from '../errors/connection-errors.ts'
import { startTimer, untilAborted } from '../internal/wait.ts'

/** A stream that is silent for this time is dead: the service sends a part at least every ten seconds. */
const SILENCE_MS = 60_000

/** Yields the parts of a streamed response as text. @throws ConnectionError if the connection closes early */
export async function* readText(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  // Closes the connection, so that the service stops. An error while closing is irrelevant.
  const cancel = () => void reader.cancel().catch(() => {})
  try {
    for (;;) {
      let isSilent = false
      const timer = startTimer(SILENCE_MS, () => {
        isSilent = true
        cancel()
      })
      const { value, done } = await untilAborted(() => reader.read(), signal).finally(() => clearTimeout(timer))
      if (isSilent) throw new Error('The service sent nothing for a minute.')
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ConnectionError('The connection closed before the response was complete.', { cause })
  } finally {
    cancel()
  }
}

/** Yields the lines of a text, without their line breaks. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let line = ''
  for await (const text of texts) {
    const [rest = '', ...starts] = text.split('\n')
    line += rest
    for (const start of starts) {
      yield line
      line = start
    }
  }
  if (line !== '') yield line
}
