import { Failure } from './failure.ts'

const SEPARATOR = '~'

/**
 * A place in a listing as the opaque text that clients hand back. It carries a checksum: no secret is in it, but one
 * that was changed, or is of another listing, is told apart from those that were given.
 * @param scope which listing it is a place in
 */
export function sealCursor(place: string, scope: string): string {
  return `${place}${SEPARATOR}${checksum(scope, place)}`
}

/** The place that a cursor of this listing says, or an `invalid_query` failure. */
export function openCursor(cursor: string, scope: string): string {
  const at = cursor.lastIndexOf(SEPARATOR)
  const place = cursor.slice(0, Math.max(at, 0))
  if (at > 0 && cursor === sealCursor(place, scope)) return place
  throw new Failure('invalid_query', {
    details: [{ path: 'cursor', message: 'Must be the nextCursor of an earlier answer, unchanged' }],
  })
}

/** FNV-1a (draft-eastlake-fnv), over UTF-16 units. */
function checksum(...texts: readonly string[]): string {
  const text = JSON.stringify(texts)
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}
