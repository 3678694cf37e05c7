/** A coding that answers can be sent in. */
export type ContentCoding = 'br' | 'gzip'

/**
 * Encodes what is sent. A host brings the one of its platform: what encoding costs, and how much of it may go on at
 * once, depends on that.
 */
export interface ContentEncoder {
  /** What it can make; of those that a client likes alike, the first is taken. */
  readonly codings: readonly ContentCoding[]
  /**
   * Encodes bytes as a whole. `undefined`: there is too much to do, and they are sent as they are.
   * @param client whom they are for, so that no client takes the turns of others
   */
  encode(
    bytes: Uint8Array<ArrayBuffer>,
    coding: ContentCoding,
    client: string,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** As {@link encode}, of bytes as they pass. Reads no further than its own reader does. */
  encodeStream(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    coding: ContentCoding,
    client: string,
  ): ReadableStream<Uint8Array<ArrayBuffer>> | undefined
}

const FORMATS: Readonly<Record<ContentCoding, string>> = { br: 'brotli', gzip: 'gzip' }

/**
 * The encoder that the platform brings, with no bound on how much it does at once.
 * @param wanted what to offer where the platform has it. Its Brotli runs at its slowest setting, some hundred times as
 * long as gzip: offer that only where nobody means harm. @default gzip alone
 */
export function createPlatformEncoder(wanted: readonly ContentCoding[] = ['gzip']): ContentEncoder {
  const encodeStream: ContentEncoder['encodeStream'] = (body, coding) =>
    body.pipeThrough(new CompressionStream(FORMATS[coding] as CompressionFormat))
  return {
    codings: wanted.filter(isSupported),
    async encode(bytes, coding) {
      const source = new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>
      return new Uint8Array(await new Response(encodeStream(source, coding, '')).arrayBuffer())
    },
    encodeStream,
  }
}

/** Not every platform has Brotli. */
function isSupported(coding: ContentCoding): boolean {
  try {
    new CompressionStream(FORMATS[coding] as CompressionFormat)
    return true
  } catch {
    return false
  }
}

/** What a client accepts of an answer's coding. */
export interface CodingChoice {
  /** The coding it likes best of those at hand; `undefined`: none. */
  readonly coding: ContentCoding | undefined
  /** Whether an answer may also be sent as it is. */
  readonly identity: boolean
}

/**
 * How to encode an answer, by what the client accepts (RFC 9110, section 12.5.3).
 * @example chooseCoding('gzip;q=0.5, br', ['gzip', 'br']) // { coding: 'br', identity: true }
 */
export function chooseCoding(accepted: string | null, supported: readonly ContentCoding[]): CodingChoice {
  if (!accepted) return { coding: undefined, identity: true }
  const weights = new Map(accepted.split(',').map(weightOf))
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
