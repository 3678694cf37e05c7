import { HEADERS } from '@fish-crab/sdk/contract'

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

/** Reads an answer to its end. */
export async function readAnswer(method: string, path: string, response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer())
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
