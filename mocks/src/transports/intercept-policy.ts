/** What becomes of a request that no mock answers. */
export type OnUnhandled = 'error' | 'warn' | 'bypass'

/** Where requests may really go: an origin (`http://127.0.0.1:8080`), or `loopback` for every server on this machine. */
export type Passthrough = 'loopback' | (string & {})

/** How one mock wants requests treated that are not its own. */
export interface UnhandledPolicy {
  readonly onUnhandled: OnUnhandled
  readonly passthrough: readonly Passthrough[]
}

/** A request that would have left the process, though nobody allowed it. It was stopped before its first byte. */
export class UnhandledRequestError extends Error {
  override readonly name = 'UnhandledRequestError'
  readonly code = 'ERR_UNHANDLED_REQUEST'
  /** Where it was going. */
  readonly origin: string

  constructor(method: string, origin: string) {
    super(
      `${method} ${origin} is answered by no mock, so it was stopped. ` +
        `Let it go to the real server with listen({ passthrough: ['${origin}'] }), or mock that origin.`,
    )
    this.origin = origin
  }
}

/** What is to be done with a request to an origin that no mock answers. */
export type Verdict = 'refuse' | 'warn' | 'pass'

/**
 * Decides over a request that no mock answers. Where several mocks listen at once, an allowance of one is enough,
 * and else the strictest decides: a request tells nobody which test sent it.
 */
export function judge(origin: string, policies: Iterable<UnhandledPolicy>): Verdict {
  let verdict: Verdict = 'pass'
  for (const { onUnhandled, passthrough } of policies) {
    if (passthrough.some((allowed) => covers(allowed, origin))) return 'pass'
    if (onUnhandled === 'error') verdict = 'refuse'
    else if (onUnhandled === 'warn' && verdict === 'pass') verdict = 'warn'
  }
  return verdict
}

/**
 * The origin of a URL as the lane compares it.
 * @throws TypeError when it is no URL.
 */
export function originOf(url: string): string {
  const { origin, protocol, host } = new URL(url)
  // The URL of a scheme that browsers do not know has the origin "null".
  return origin === 'null' ? `${protocol}//${host}` : origin
}

function covers(allowed: Passthrough, origin: string): boolean {
  return allowed === 'loopback' ? isLoopback(origin) : originOf(allowed) === origin
}

function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
