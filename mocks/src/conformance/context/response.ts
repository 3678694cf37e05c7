/** A response with its complete body. */
export interface ReceivedResponse {
  /** Method and path of the request, for messages. */
  readonly to: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  readonly requestId: string | undefined
}

const DECODERS: Readonly<Record<string, string>> = { gzip: 'gzip', br: 'brotli' }

/** Some clients decode the body, others do not. `undefined` when the platform does not support the coding. */
export async function decodedText({ headers, bytes, text }: ReceivedResponse): Promise<string | undefined> {
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
