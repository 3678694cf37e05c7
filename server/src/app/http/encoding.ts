/** A coding that answers can be sent in. */
export type ContentCoding = 'br' | 'gzip'

const FORMATS: Readonly<Record<ContentCoding, string>> = { br: 'brotli', gzip: 'gzip' }
/** gzip first: the platform's Brotli runs at its slowest setting, which costs more time than it saves on the way. */
const PREFERENCE: readonly ContentCoding[] = ['gzip', 'br']

/** The codings that this platform can make: not every one has Brotli. */
export function supportedCodings(): ContentCoding[] {
  return PREFERENCE.filter((coding) => {
    try {
      new CompressionStream(FORMATS[coding] as CompressionFormat)
      return true
    } catch {
      return false
    }
  })
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

/** Encodes bytes as they pass. */
export function encodeStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  coding: ContentCoding,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return body.pipeThrough(new CompressionStream(FORMATS[coding] as CompressionFormat))
}

/** Encodes bytes as a whole. */
export async function encodeBytes(
  bytes: Uint8Array<ArrayBuffer>,
  coding: ContentCoding,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>
  return new Uint8Array(await new Response(encodeStream(source, coding)).arrayBuffer())
}

function weightOf(entry: string): [string, number] {
  const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const weight = quality === undefined ? 1 : Number(quality)
  return [coding, weight >= 0 && weight <= 1 ? weight : 0]
}
