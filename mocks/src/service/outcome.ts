/** A failure of the connection that replaces a complete response. */
export type NetworkFault =
  /** The connection is reset before the response. */
  | { readonly kind: 'reset' }
  /** The connection ends after this share of the body, although `content-length` promised all of it. */
  | { readonly kind: 'cut-body'; readonly share: 0 | 0.5 }
  /** No response ever arrives. */
  | { readonly kind: 'silence' }

/** The result of a request: a response, and the fault that replaces it. */
export interface Outcome {
  /** The service's response, even if a network fault prevents the response from arriving. */
  readonly response: Response
  /** Milliseconds on the clock of the mock before the response or the network fault. */
  readonly delayMs: number
  /** The connection's failure. @default `undefined`: the response arrives */
  readonly networkFault?: NetworkFault | undefined
}

/** How a request reached the mock. `worker`: by MSW's service worker in a page. */
export type Transport = 'direct' | 'msw' | 'worker' | 'intercept' | 'http'

/** Handles a request and applies faults. */
export type HandleRequest = (request: Request, transport: Transport) => Promise<Outcome>

/** A response with its content coding removed, as `fetch` does. */
export function decodeContent(response: Response): Response {
  const coding = response.headers.get('content-encoding')
  if (coding === null || response.body === null) return response
  const format = (coding === 'br' ? 'brotli' : coding) as CompressionFormat
  return new Response(response.body.pipeThrough(new DecompressionStream(format)), response)
}
