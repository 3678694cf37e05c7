import { HEADERS } from '@fish-crab/sdk/contract'
import { NoAnswer } from './expectation.ts'

/** An answer with its body, read to the end. */
export interface Answer {
  /** The request, for messages: `GET /status`. */
  readonly to: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  readonly requestId: string | undefined
}

const DECODERS: Readonly<Record<string, string>> = { gzip: 'gzip', br: 'brotli' }
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

/**
 * The body without its content coding, as text. Some clients decode on their own and some do not; `undefined` where
 * neither the client nor this platform can.
 */
export async function decodedText({ headers, bytes, text }: Answer): Promise<string | undefined> {
  const coding = headers.get('content-encoding')
  if (coding === null || isJson(text)) return text
  try {
    const decoder = new DecompressionStream(DECODERS[coding] as CompressionFormat)
    return await new Response(new Blob([bytes]).stream().pipeThrough(decoder)).text()
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
