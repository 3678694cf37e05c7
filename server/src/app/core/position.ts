import { LIMITS } from '@fish-crab/sdk/contract'

/**
 * A position in a collection: after the first `offset` entries of the record `sequence`, or at the next record if this
 * record was removed. `offset` counts removed entries, too.
 */
export interface Position {
  readonly sequence: number
  readonly offset: number
}

export function formatPosition({ sequence, offset }: Position): string {
  return offset === 0 ? sequence.toString(36) : `${sequence.toString(36)}.${offset.toString(36)}`
}

/** @returns `undefined` for any text that {@link formatPosition} cannot return */
export function parsePosition(text: string): Position | undefined {
  const [sequence = -1, offset = 0] = text.split('.').map((part) => Number.parseInt(part, 36))
  const isValid = Number.isSafeInteger(sequence) && sequence >= 0 && offset >= 0 && offset <= LIMITS.entriesPerWrite
  const position = { sequence, offset }
  return isValid && formatPosition(position) === text ? position : undefined
}
