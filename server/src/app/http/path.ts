import { VERSION_PREFIX } from '@fish-crab/sdk/contract'

/**
 * Returns the canonical path of a request. Routing, rate limiting and logging use this path, so that all variants of a
 * path (trailing slash, `//`, percent-encoding, `/v1`) count as one path. An encoded slash stays encoded, because it is
 * data and not a separator (RFC 3986, section 2.2). An encoded `@` is decoded: `@` needs no encoding in a path (section
 * 3.3), but programs that share links encode it.
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
 * Describes the mistake in a request target that a proxy may resolve differently from a URL parser (RFC 9112, sections
 * 3.2 and 11.2). The proxy could then apply its rules to a path that is not the served path. The raw target is needed,
 * because a URL parser turns `\` into `/`, resolves dots and removes fragments from the path. Doubled slashes and
 * percent-encoding are accepted, and the rules of the proxy must cover them; see docs/behind-a-proxy.md.
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

/**
 * Drops empty and `.` segments and resolves `..` (RFC 3986, section 5.2.4), because not every HTTP server resolves
 * dots.
 */
function withoutDots(segments: readonly string[]): string[] {
  const result: string[] = []
  for (const segment of segments) {
    if (segment === '..') result.pop()
    else if (segment !== '' && segment !== '.') result.push(segment)
  }
  return result
}

/**
 * Returns an invalid path unchanged, because no route matches it. One `try` covers all segments, so that a path causes
 * at most one error, which takes microseconds.
 */
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
