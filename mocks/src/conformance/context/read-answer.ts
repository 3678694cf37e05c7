import { HEADERS } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'
import { NoAnswer } from './expectation.ts'

const SHOWN_CHARACTERS = 100
/** More than any answer to what a run asks for: what goes on longer never ends. */
const LONGEST_BYTES = 64 * 1024 * 1024

/**
 * Reads an answer to its end.
 * @throws NoAnswer when there is no end in sight
 */
export async function readAnswer(method: string, path: string, response: Response): Promise<Answer> {
  const bytes = await readBytes(response)
  const short = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path
  return {
    to: `${method} ${short}`,
    status: response.status,
    headers: response.headers,
    bytes,
    text: new TextDecoder().decode(bytes),
    requestId: response.headers.get(HEADERS.requestId) ?? undefined,
  }
}

async function readBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    size += value.byteLength
    if (size <= LONGEST_BYTES) continue
    await reader.cancel()
    throw new NoAnswer('an answer', `more than ${LONGEST_BYTES} bytes, and no end`)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}
