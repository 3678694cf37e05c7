import { EVENT_STREAM, type Kind } from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import { formatPosition, type Position, parsePosition } from '../core/position.ts'
import { HttpError } from '../http/http-error.ts'

/** The positions of a stream by kind, in the order of the stream's kinds. */
export type Positions = Readonly<Partial<Record<Kind, Position>>>

/** The scope of a stream. An event id is valid for one scope only. */
interface StreamScope {
  readonly storeId: string
  /** Id of the user. A user who is deleted and created again gets a new id. */
  readonly owner: string
  readonly gamemode: string
  readonly kinds: readonly Kind[]
}

const TAG_LENGTH = 10

/**
 * Returns the common beginning of all event ids of a scope. The rest of an event id consists of positions, which need
 * not be secret.
 */
export async function scopeTag({ storeId, owner, gamemode, kinds }: StreamScope): Promise<string> {
  return (await sha256Hex(JSON.stringify([storeId, owner, gamemode, kinds]))).slice(0, TAG_LENGTH)
}

export function formatEventId(tag: string, positions: Positions): string {
  return [tag, ...Object.values(positions).map(formatPosition)].join('-')
}

/** Parses an event id. Throws `invalid_event_id` for any text that is not an event id of this scope. */
export function parseEventId(id: string, tag: string, kinds: readonly Kind[]): Positions {
  const [ownTag, ...texts] = id.split('-', kinds.length + 2)
  const positions = texts.flatMap((text) => parsePosition(text) ?? [])
  if (ownTag !== tag || texts.length !== kinds.length || positions.length !== kinds.length) {
    throw new HttpError('invalid_event_id')
  }
  return Object.fromEntries(kinds.map((kind, at) => [kind, positions[at]]))
}

/**
 * Returns the event id from which a client resumes a stream. A client that has not received an event sends no header or
 * an empty header.
 */
export function lastEventIdOf({ headers }: Request): string | undefined {
  return headers.get(EVENT_STREAM.lastEventId) || undefined
}
