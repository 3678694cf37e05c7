import { EVENT_STREAM, type Kind, LIMITS } from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import { HttpError } from '../http/http-error.ts'

/** Where a stream continues in a collection: at the first record from `sequence` on, after `offset` entries of that one. */
export interface Position {
  readonly sequence: number
  readonly offset: number
}

/** The positions of a stream by kind, in the order of its kinds. */
export type Positions = Readonly<Partial<Record<Kind, Position>>>

/** What a stream is about. Ids are valid for one scope only. */
export interface StreamScope {
  /** The id of the store. */
  readonly storeId: string
  /** The id of the user: one who is created again has another. */
  readonly owner: string
  readonly gamemode: string
  readonly kinds: readonly Kind[]
}

const TAG_LENGTH = 10

/** What the ids of a scope begin with. They hold nothing but numbers that readers may know. */
export async function scopeTag({ storeId, owner, gamemode, kinds }: StreamScope): Promise<string> {
  return (await sha256Hex(JSON.stringify([storeId, owner, gamemode, kinds]))).slice(0, TAG_LENGTH)
}

export function formatEventId(tag: string, positions: Positions): string {
  const texts = Object.values(positions).map(
    ({ sequence, offset }) => `${sequence.toString(36)}.${offset.toString(36)}`,
  )
  return [tag, ...texts].join('-')
}

/** Throws `invalid_event_id` for anything but an id of this scope. */
export function parseEventId(id: string, tag: string, kinds: readonly Kind[]): Positions {
  const [, ...texts] = id.split('-', kinds.length + 1)
  const positions: Positions = Object.fromEntries(kinds.map((kind, at) => [kind, toPosition(texts[at])]))
  // Also one that names the same position in another way.
  if (!isValid(Object.values(positions)) || formatEventId(tag, positions) !== id)
    throw new HttpError('invalid_event_id')
  return positions
}

function toPosition(text = ''): Position {
  const [sequence = '', offset = ''] = text.split('.')
  return { sequence: Number.parseInt(sequence, 36), offset: Number.parseInt(offset, 36) }
}

function isValid(positions: readonly Position[]): boolean {
  return positions.every(
    ({ sequence, offset }) => Number.isSafeInteger(sequence) && offset >= 0 && offset <= LIMITS.entriesPerWrite,
  )
}

/** The header of a client that resumes. Empty before its first event. */
export function lastEventIdOf({ headers }: Request): string | undefined {
  return headers.get(EVENT_STREAM.lastEventId) || undefined
}
