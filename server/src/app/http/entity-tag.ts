/**
 * Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2).
 * @example matchesEntityTag('W/"1", W/"2"', 'W/"2"') // true
 */
export function matchesEntityTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaqueTag = opaque(tag)
  return ifNoneMatch.split(',').some((entry) => opaque(entry) === opaqueTag)
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
