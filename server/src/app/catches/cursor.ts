import { Failure } from '../http/failure.ts'

/** A place in a collection: a record, and how many of its entries lie before the place. */
export interface Position {
  readonly sequence: number
  readonly offset: number
}

/** A position as the opaque text that clients hand back. */
export function encodeCursor({ sequence, offset }: Position): string {
  return `${sequence.toString(36)}.${offset.toString(36)}`
}

/** Reads a cursor, or fails with `invalid_query`. */
export function decodeCursor(cursor: string): Position {
  const match = /^([0-9a-z]{1,10})\.([0-9a-z]{1,3})$/.exec(cursor)
  if (!match?.[1] || !match[2]) {
    throw new Failure('invalid_query', {
      details: [{ path: 'cursor', message: 'Must be the nextCursor of an earlier answer, unchanged' }],
    })
  }
  return { sequence: Number.parseInt(match[1], 36), offset: Number.parseInt(match[2], 36) }
}
