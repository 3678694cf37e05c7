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
