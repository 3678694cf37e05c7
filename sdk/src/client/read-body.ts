import { HEADERS } from '../contract/headers.ts'
import { InvalidResponseError } from '../errors/connection-errors.ts'

/** The text of a response, read no further than `maxBytes`. */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  // A fetch of other makers may give a body of another kind, or none beside its text.
  if (typeof response.body?.getReader !== 'function') {
    const text = await response.text()
    if (text.length > maxBytes) throw tooLarge(response, maxBytes)
    return text
  }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.byteLength
      if (size > maxBytes) throw tooLarge(response, maxBytes)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // Lets the connection go; that it may fail as well adds nothing.
    reader.cancel().catch(() => {})
    throw error
  }
}

function tooLarge(response: Response, maxBytes: number): InvalidResponseError {
  return new InvalidResponseError(`The answer is larger than maxResponseBytes (${maxBytes}).`, {
    status: response.status,
    requestId: response.headers.get(HEADERS.requestId) ?? undefined,
    hint: 'Read in pages with limit or iterate, or raise maxResponseBytes.',
  })
}
