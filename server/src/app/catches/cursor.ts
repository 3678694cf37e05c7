import { LIMITS } from '@fish-crab/sdk/contract'
import type { Collection } from '../../storage/types.ts'
import { type Cursors, invalidCursor } from '../http/cursor.ts'

/** A place in a collection: a record, and how many of its entries lie before the place. */
export interface Position {
  readonly sequence: number
  readonly offset: number
}

/** A position as the opaque text that clients hand back. */
export function encodeCursor(
  cursors: Cursors,
  { sequence, offset }: Position,
  collection: Collection,
): Promise<string> {
  return cursors.sign(`${sequence.toString(36)}.${offset.toString(36)}`, scopeOf(collection))
}

/** Reads a cursor of this collection, or fails with `invalid_query`. */
export async function decodeCursor(cursors: Cursors, cursor: string, collection: Collection): Promise<Position> {
  const [sequence, offset] = (await cursors.verify(cursor, scopeOf(collection)))
    .split('.')
    .map((part) => Number.parseInt(part, 36))
  if (isWithin(sequence, Number.MAX_SAFE_INTEGER) && isWithin(offset, LIMITS.entriesPerWrite)) {
    return { sequence, offset }
  }
  throw invalidCursor()
}

function isWithin(value: number | undefined, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most
}

function scopeOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}
