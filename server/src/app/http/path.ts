import { VERSION_PREFIX } from '@fish-crab/sdk/contract'

/**
 * The one spelling of a request's path that routing, counting and logging see, so that no variant of a path
 * (trailing slash, `//`, percent-encoding, `/v1`) is treated as another path by any of them.
 * An encoded slash stays encoded: it is data, not structure (RFC 3986, section 2.2).
 * @example canonicalPath('http://host/v1//get/%66ish/?name=Alex') // '/get/fish'
 */
export function canonicalPath(url: string): string {
  const raw = rawPath(url)
  const path = RESPELLED.test(raw) ? `/${withoutDots(raw.split('/').map(canonicalSegment)).join('/')}` : raw
  if (path === VERSION_PREFIX) return '/'
  return path.startsWith(`${VERSION_PREFIX}/`) ? path.slice(VERSION_PREFIX.length) : path
}

const SCHEME_AND_AUTHORITY = /^https?:\/\/[^/?\\#]+/i
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * What is wrong with a request target that URL parsers and proxies resolve in different ways (RFC 9112, sections 3.2
 * and 11.2), so that the rules of a proxy are for another path than the one that is served. A URL no longer shows it:
 * there `\` is `/`, dots are resolved and fragments are gone. What is left to differ, doubled slashes and
 * percent-encoding, is for the rules of the proxy; see the README.
 */
export function targetMistake(target: string): string | undefined {
  if (target === '*') return undefined
  const [path = ''] = target.replace(SCHEME_AND_AUTHORITY, '').split('?')
  if (path !== '' && !path.startsWith('/')) return 'The target of the request is not a path.'
  if (/[\\#]/.test(path)) return 'The path holds a backslash or a fragment. Percent-encode it, or leave it out.'
  return DOT_SEGMENT.test(path) ? 'The path holds "." or "..". Send the path that they lead to.' : undefined
}

/** What only a path in another spelling has in it. */
const RESPELLED = /%|\/\/|\/\.|.\/$|^[^/]|^$/

function rawPath(url: string): string {
  const authority = url.indexOf('://')
  const start = authority === -1 ? 0 : url.indexOf('/', authority + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/** Drops empty and `.` segments and resolves `..` (RFC 3986, section 5.2.4): not every HTTP server has done so. */
function withoutDots(segments: readonly string[]): string[] {
  const kept: string[] = []
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept
}

function canonicalSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return encodeURIComponent(decodeURIComponent(segment))
  } catch {
    return segment
  }
}
