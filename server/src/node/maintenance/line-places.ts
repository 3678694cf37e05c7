import { hash } from 'node:crypto'
import type { ContentLine } from './export-format.ts'

/** What keeps a set below the most that one may hold. */
const SHARDS = 256
const DIGEST_BYTES = 12

/** The places of a storage that lines of an export have taken. Keeps a digest of each: an export may be large. */
export class LinePlaces {
  readonly #taken = Array.from({ length: SHARDS }, () => new Set<string>())

  /** Takes the place of a line; answers whether it was free. */
  take(line: ContentLine): boolean {
    if ('removedOwner' in line) {
      this.#add(placeOfRemoval(line.removedOwner))
      return true
    }
    const owner = ownerOf(line)
    if (owner !== undefined && this.isRemoved(owner)) return false
    return placesOf(line).every((place) => this.#add(place))
  }

  /** Whether a line says this item. */
  hasItem(item: string): boolean {
    return this.#has(placeOfItem(item))
  }

  /** Whether a line says that this owner was removed. */
  isRemoved(owner: string): boolean {
    return this.#has(placeOfRemoval(owner))
  }

  #add(place: string): boolean {
    const { digest, shard } = this.#find(place)
    if (shard?.has(digest)) return false
    shard?.add(digest)
    return true
  }

  #has(place: string): boolean {
    const { digest, shard } = this.#find(place)
    return shard?.has(digest) ?? false
  }

  #find(place: string) {
    const bytes = hash('sha256', place, 'buffer')
    return { digest: bytes.toString('latin1', 0, DIGEST_BYTES), shard: this.#taken[bytes.readUInt8(DIGEST_BYTES)] }
  }
}

/** Whose data a line is, if anybody's. */
export function ownerOf(line: ContentLine): string | undefined {
  if ('record' in line) return line.record.owner
  if ('token' in line) return line.token.owner
  return 'removedOwner' in line ? line.removedOwner : undefined
}

/** What only one line may say. Two of these are never the same text: a token has two parts, a record three. */
function placesOf(line: ContentLine): readonly string[] {
  if ('item' in line) return [placeOfItem(line.item)]
  if ('token' in line) return [placeOfToken(line.token.owner, line.token.dedupeKey)]
  if (!('record' in line)) return []
  const { owner, id, dedupeKey } = line.record
  const place = JSON.stringify([owner, 'record', id])
  // Not every record has a token.
  return dedupeKey === null ? [place] : [place, placeOfToken(owner, dedupeKey)]
}

function placeOfItem(item: string): string {
  return JSON.stringify([item])
}

function placeOfToken(owner: string, dedupeKey: string): string {
  return JSON.stringify([owner, dedupeKey])
}

/** Of an owner that was removed, nothing may come behind. */
function placeOfRemoval(owner: string): string {
  return JSON.stringify([owner, 'removed', ''])
}
