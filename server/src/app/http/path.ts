import { VERSION_PREFIX } from '@fish-crab/sdk/contract'

/**
 * The canonical path of a request, which routing, rate limiting and logging use, so that no variant of a path (trailing
 * slash, `//`, percent-encoding, `/v1`) counts as another path.
 * An encoded slash stays encoded: it is data, not structure (RFC 3986, section 2.2). `@` needs no encoding in a path
 * (section 3.3), but programs that share links encode it.
 * @example canonicalPath('http://host/v1//get/%66ish/?name=Alex') // '/get/fish'
 */
export function canonicalPath(url: string): string {
  const raw = rawPath(url)
  const path = NOT_CANONICAL.test(raw) ? withCanonicalSegments(raw) : raw
  if (path === VERSION_PREFIX) return '/'
  return path.startsWith(`${VERSION_PREFIX}/`) ? path.slice(VERSION_PREFIX.length) : path
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?\\#]+/i
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * The mistake in a request target that proxies resolve differently from a URL (RFC 9112, sections 3.2 and 11.2), so that
 * the rules of a proxy may apply to another path than the one that is served. The URL no longer shows it: there, `\` is
 * `/`, dots are resolved and fragments are gone. Doubled slashes and percent-encoding are left to the rules of the proxy;
 * see docs/behind-a-proxy.md.
 */
export function targetError(target: string): string | undefined {
  if (target === '*') return undefined
  const [path = ''] = target.replace(SCHEME_AND_AUTHORITY, '').split('?')
  if (path !== '' && !path.startsWith('/')) return 'The request target is not a path.'
  if (/[\\#]/.test(path)) return 'The path contains a backslash or a fragment. Percent-encode it, or omit it.'
  return DOT_SEGMENT.test(path) ? 'The path contains "." or "..". Send the resolved path.' : undefined
}

const NOT_CANONICAL = /%|\/\/|\/\.|.\/$|^[^/]|^$/

function rawPath(url: string): string {
  const authority = url.indexOf('://')
  const start = authority === -1 ? 0 : url.indexOf('/', authority + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/** Drops empty and `.` segments and resolves `..` (RFC 3986, section 5.2.4): not every HTTP server does. */
function withoutDots(segments: readonly string[]): string[] {
  const result: string[] = []
  for (const segment of segments) {
    if (segment === '..') result.pop()
    else if (segment !== '' && segment !== '.') result.push(segment)
  }
  return result
}

/** A path that is no URI is left as it is: no route has it. One error for all segments, since each takes microseconds. */
function withCanonicalSegments(raw: string): string {
  try {
    return `/${withoutDots(raw.split('/').map(canonicalSegment)).join('/')}`
  } catch {
    return raw
  }
}

/** @throws URIError */
function canonicalSegment(segment: string): string {
  return segment.includes('%') ? encodeURIComponent(decodeURIComponent(segment)).replaceAll('%40', '@') : segment
}
