import type { Collection } from '../../storage/types.ts'
import { openCursor, sealCursor } from '../http/cursor.ts'

/** A place in a collection: a record, and how many of its entries lie before the place. */
export interface Position {
  readonly sequence: number
  readonly offset: number
}

/** A position as the opaque text that clients hand back. */
export function encodeCursor({ sequence, offset }: Position, collection: Collection): string {
  return sealCursor(`${sequence.toString(36)}.${offset.toString(36)}`, scopeOf(collection))
}

/** Reads a cursor of this collection, or fails with `invalid_query`. */
export function decodeCursor(cursor: string, collection: Collection): Position {
  const [sequence = '', offset = ''] = openCursor(cursor, scopeOf(collection)).split('.')
  return { sequence: Number.parseInt(sequence, 36) || 0, offset: Number.parseInt(offset, 36) || 0 }
}

function scopeOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}
