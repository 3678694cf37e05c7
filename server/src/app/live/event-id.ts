import { EVENT_STREAM, type Gamemode, type Kind } from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import { formatPosition, type Position, parsePosition } from '../core/position.ts'
import { HttpError } from '../http/http-error.ts'

/*
 * An event id is a tag and, for each collection with a position behind its beginning, the name of the collection and the
 * position: `d8f423c6b2-9b1c77.2s.4-1f0a3e.2k`. So an id stays valid if an operator adds or removes a gamemode.
 */

/** The scope of a stream. An event id is valid for one scope only. */
interface StreamScope {
  readonly storeId: string
  /** Id of the user. A user who is deleted and created again gets a new id. */
  readonly owner: string
  /** `undefined` for all gamemodes. */
  readonly gamemode: Gamemode | undefined
  /** `undefined` for both kinds. */
  readonly kind: Kind | undefined
}

const TAG_LENGTH = 10
const NAME_LENGTH = 6
const POSITION = new RegExp(`^([0-9a-f]{${NAME_LENGTH}})\\.(.+)$`)

/** The common beginning of all event ids of a scope. The rest of an event id need not be secret. */
export async function scopeTag({ storeId, owner, gamemode, kind }: StreamScope): Promise<string> {
  return (await sha256Hex(JSON.stringify([storeId, owner, gamemode, kind]))).slice(0, TAG_LENGTH)
}

/** The name of a collection in event ids. It is short, because an id may contain the positions of 64 collections. */
export async function collectionName(kind: Kind, gamemode: Gamemode): Promise<string> {
  return (await sha256Hex(JSON.stringify([kind, gamemode]))).slice(0, NAME_LENGTH)
}

/** @param positions positions by the name of their collection */
export function formatEventId(tag: string, positions: Iterable<readonly [name: string, position: Position]>): string {
  let id = tag
  for (const [name, position] of positions) {
    // The first record of a collection has a sequence of at least 1.
    if (position.sequence > 1 || position.offset > 0) id += `-${name}.${formatPosition(position)}`
  }
  return id
}

/**
 * Returns the positions of an event id by the name of their collection. A collection without a position is at its
 * beginning. Throws `invalid_event_id` for any text that is not an event id of this scope.
 */
export function parseEventId(id: string, tag: string): ReadonlyMap<string, Position> {
  const [ownTag, ...parts] = id.split('-')
  const positions = new Map<string, Position>()
  for (const part of parts) {
    const [, name = '', text = ''] = POSITION.exec(part) ?? []
    const position = parsePosition(text)
    if (!position || positions.has(name)) throw new HttpError('invalid_event_id')
    positions.set(name, position)
  }
  if (ownTag !== tag) throw new HttpError('invalid_event_id')
  return positions
}

/**
 * Returns the event id from which a client resumes a stream. A client that has not received an event sends no header or
 * an empty header.
 */
export function lastEventIdOf({ headers }: Request): string | undefined {
  return headers.get(EVENT_STREAM.lastEventId) || undefined
}
