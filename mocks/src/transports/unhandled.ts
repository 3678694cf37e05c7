/** The policy for requests that no mock handles. */
export type OnUnhandled = 'error' | 'warn' | 'bypass'

/**
 * An origin to which requests are really sent (`http://127.0.0.1:8080`), or `loopback` for every server on this
 * machine.
 */
export type Passthrough = 'loopback' | (string & {})

export interface UnhandledPolicy {
  readonly onUnhandled: OnUnhandled
  readonly passthrough: readonly Passthrough[]
  /** The origins at which a mock is served now. */
  readonly served: ReadonlySet<string>
}

/**
 * The error of a request to an origin that is neither mocked nor allowed. The request was blocked before its first
 * byte.
 */
export class UnhandledRequestError extends Error {
  override readonly name = 'UnhandledRequestError'
  readonly code = 'ERR_UNHANDLED_REQUEST'
  readonly origin: string

  constructor(method: string, origin: string) {
    super(
      `${method} ${origin} was blocked, since no mock handles it. ` +
        `Mock that origin, or allow requests to the real server with listen({ passthrough: ['${origin}'] }).`,
    )
    this.origin = origin
  }
}

/**
 * Decides about a request that no mock handles. If several mocks listen, the passthrough of one mock is enough.
 * Otherwise, the strictest policy applies, since the test that sent the request is unknown.
 */
export function decide(origin: string, policies: Iterable<UnhandledPolicy>): OnUnhandled {
  let strictest: OnUnhandled = 'bypass'
  for (const { onUnhandled, passthrough, served } of policies) {
    if (served.has(origin) || passthrough.some((allowed) => covers(allowed, origin))) return 'bypass'
    if (strictest !== 'error' && onUnhandled !== 'bypass') strictest = onUnhandled
  }
  return strictest
}

/** Returns a URL's origin, even for unknown schemes. @throws TypeError when the text is not a URL. */
export function originOf(url: string): string {
  const { origin, protocol, host } = new URL(url)
  // For schemes that browsers do not know, `URL.origin` is "null".
  return origin === 'null' ? `${protocol}//${host}` : origin
}

function covers(allowed: Passthrough, origin: string): boolean {
  return allowed === 'loopback' ? isLoopback(origin) : originOf(allowed) === origin
}

function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
