/** A content coding of responses. */
export type ContentCoding = 'br' | 'gzip'

/**
 * Encodes response bodies. A host provides one: the cost of encoding, and how much of it may run at once, depend on the
 * platform.
 */
export interface ContentEncoder {
  /** Supported codings, best first: a tie in the client's preferences goes to the earlier one. */
  readonly codings: readonly ContentCoding[]
  /**
   * Encodes a whole body. `undefined` if the encoder is too busy, and the body is sent unencoded.
   * @param client key of the client, so that none delays the others
   */
  encode(
    bytes: Uint8Array<ArrayBuffer>,
    coding: ContentCoding,
    client: string,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Like {@link encode}, for a stream. Reads only as fast as its reader. */
  encodeStream(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    coding: ContentCoding,
    client: string,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined
}

const FORMATS: Readonly<Record<ContentCoding, string>> = { br: 'brotli', gzip: 'gzip' }
/** Determined once: each check costs a stream, whose native memory stays until it is collected. */
const PLATFORM_CODINGS: readonly ContentCoding[] = (['br', 'gzip'] as const).filter(isSupported)

/**
 * Creates an encoder over the platform's `CompressionStream`, which does not limit how much runs at once.
 * @param wanted codings to offer if the platform has them. Its Brotli runs at the slowest level, about a hundred times
 * slower than gzip: offer it only to trusted clients. @default gzip only
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

/** More codings than exist. A request head has room for thousands. */
const MAX_CODINGS = 100

/** Chooses by `Accept-Encoding` (RFC 9110, section 12.5.3). `identity`: whether an unencoded body is acceptable. */
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
