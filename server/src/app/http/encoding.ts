/** A content coding of responses. */
export type ContentCoding = 'br' | 'gzip'

/**
 * Encodes response bodies. The host provides the encoder, because the cost and the useful concurrency of encoding
 * depend on the platform.
 */
export interface ContentEncoder {
  /** Supported codings, best first. If a client prefers two codings equally, the earlier coding is used. */
  readonly codings: readonly ContentCoding[]
  /**
   * Encodes a whole body. Resolves to `undefined` if the encoder is too busy; the body is then sent unencoded.
   * @param client key of the client, so that no client delays other clients
   */
  encode(
    bytes: Uint8Array<ArrayBuffer>,
    coding: ContentCoding,
    client: string,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>
  /**
   * Works like {@link encode}, but for a stream. The encoder reads the body only as fast as the client reads the
   * result.
   */
  encodeStream(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    coding: ContentCoding,
    client: string,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined
}

const FORMATS: Readonly<Record<ContentCoding, string>> = { br: 'brotli', gzip: 'gzip' }
/**
 * Checked only once, because each check creates a stream that keeps native memory until the stream is
 * garbage-collected.
 */
const PLATFORM_CODINGS: readonly ContentCoding[] = (['br', 'gzip'] as const).filter(isSupported)

/**
 * Creates an encoder that uses the platform's `CompressionStream`, without a limit on concurrency.
 * @param wanted codings to offer if the platform supports them. The platform's Brotli uses the slowest level and is
 * about a hundred times slower than gzip, so offer Brotli only to trusted clients. @default gzip only
 */
export function createPlatformEncoder(wanted: readonly ContentCoding[] = ['gzip']): ContentEncoder {
  const encodeStream: ContentEncoder['encodeStream'] = (body, coding) =>
    body.pipeThrough(new CompressionStream(FORMATS[coding] as CompressionFormat))
  return {
    codings: wanted.filter((coding) => PLATFORM_CODINGS.includes(coding)),
    async encode(bytes, coding) {
      const source = new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>
      return new Uint8Array(await new Response(encodeStream(source, coding, '')).arrayBuffer())
    },
    encodeStream,
  }
}

function isSupported(coding: ContentCoding): boolean {
  try {
    new CompressionStream(FORMATS[coding] as CompressionFormat)
    return true
  } catch {
    return false
  }
}

/** Maximum number of codings that are parsed, because a request head has room for thousands. Fewer codings exist. */
const MAX_CODINGS = 100

/**
 * Chooses a coding by `Accept-Encoding` (RFC 9110, section 12.5.3). `identity`: whether an unencoded body is
 * acceptable.
 */
export function chooseCoding(accepted: string | null, supported: readonly ContentCoding[]) {
  if (!accepted) return { coding: undefined, identity: true }
  const weights = new Map(accepted.split(',', MAX_CODINGS).map(weightOf))
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = supported.filter((coding) => weight(coding) > 0).sort((one, other) => weight(other) - weight(one))
  const preferred = best !== undefined && weight(best) >= (weights.get('identity') ?? 0)
  return {
    coding: preferred ? best : undefined,
    identity: best === undefined || (weights.get('identity') ?? weights.get('*')) !== 0,
  }
}

function weightOf(entry: string): [string, number] {
  const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const weight = quality === undefined ? 1 : Number(quality)
  return [coding, weight >= 0 && weight <= 1 ? weight : 0]
}
