import { type Kind, LIMITS, MEDIA_TYPES, type User } from '@fish-crab/sdk/contract'
import type { Collection, FishStorage, RecordForm } from '../../storage/types.ts'
import { type Answer, empty, jsonBytes } from '../http/answer.ts'
import type { Cursors } from '../http/cursor.ts'
import { type ContentEncoder, chooseCoding } from '../http/encoding.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import { type CollectionBody, collectionBody } from './collection-body.ts'
import { decodeCursor, encodeCursor, type Position } from './cursor.ts'
import { readPage } from './page.ts'
import { createReadyCache } from './ready-cache.ts'

/** What of a collection is asked for. */
interface CollectionRequest {
  readonly user: User
  readonly collection: Collection & { readonly kind: Kind }
  readonly form: RecordForm
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** Whose turn it takes to encode what is answered. */
  readonly client: string
}

/** Answers reads of collections: conditional, compressed, whole or by pages. */
export type CollectionAnswerer = (request: Request, asked: CollectionRequest) => Promise<Answer>

const CACHE_BYTES = 32 * 1024 * 1024
const WORTH_COMPRESSING_BYTES = 1024
const FIRST = { sequence: 0, offset: 0 }

/** Makes the answerer with a cache of its own. */
export function createCollectionAnswerer(
  storage: FishStorage,
  encoder: ContentEncoder,
  cursors: Cursors,
): CollectionAnswerer {
  const cache = createReadyCache(CACHE_BYTES)

  function bodyOf(asked: CollectionRequest, start: Position): Promise<CollectionBody> {
    const { user, collection, form, limit, cursor } = asked
    if (limit === undefined && cursor === undefined) {
      return collectionBody(user.name, collection.kind, storage.read(collection, form))
    }
    return pageBody(storage, cursors, asked, start)
  }

  return async (request, asked) => {
    // A wrong cursor is an error whatever the conditions say (RFC 9110, section 13.2.1).
    const start = asked.cursor === undefined ? FIRST : await decodeCursor(cursors, asked.cursor, asked.collection)
    // Before anything is read: what is read may be newer than the version says, never older.
    const version = await storage.version(asked.collection)
    const headers = {
      etag: `W/"${asked.user.id}.${version}"`,
      vary: 'Accept-Encoding',
      'cache-control': 'no-cache',
    }
    if (matchesEntityTag(request.headers.get('if-none-match'), headers.etag)) return empty(304, headers)

    const { coding: wanted, identity } = chooseCoding(request.headers.get('accept-encoding'), encoder.codings)
    const key = JSON.stringify([asked.collection, asked.form, wanted, identity])
    const isWhole = asked.limit === undefined && asked.cursor === undefined
    const ready = isWhole ? cache.get(key, version) : undefined
    if (ready) return jsonBytes(200, ready.bytes, withCoding(headers, ready.coding))

    const body = await bodyOf(asked, start)
    if (body instanceof ReadableStream) {
      const encoded = wanted && encoder.encodeStream(body, wanted, asked.client)
      return {
        status: 200,
        // Only what is encoded is worth its room: as it is, it is quickly read again.
        body: encoded ? cache.collect(key, version, wanted, encoded) : body,
        headers: { 'content-type': MEDIA_TYPES.json, ...withCoding(headers, encoded && wanted) },
      }
    }
    const isWorthIt = wanted !== undefined && (!identity || body.byteLength >= WORTH_COMPRESSING_BYTES)
    const encoded = isWorthIt ? await encoder.encode(body, wanted, asked.client) : undefined
    const answered = encoded ? { bytes: encoded, coding: wanted } : { bytes: body, coding: undefined }
    // Pages are not kept: whoever asks chooses their bounds, and could fill the cache with them.
    if (isWhole && isWorthIt === (encoded !== undefined)) cache.set(key, version, answered)
    return jsonBytes(200, answered.bytes, withCoding(headers, answered.coding))
  }
}

async function pageBody(
  storage: FishStorage,
  cursors: Cursors,
  { user, collection, form, limit }: CollectionRequest,
  start: Position,
): Promise<CollectionBody> {
  const { entries, next: place } = await readPage(storage, collection, form, start, limit ?? LIMITS.pageSize)
  const nextCursor = place && (await encodeCursor(cursors, place, collection))
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return new TextEncoder().encode(`{"user":${JSON.stringify(user.name)},"${collection.kind}":[${entries}]${next}}`)
}

function withCoding(headers: Readonly<Record<string, string>>, coding: string | undefined): Record<string, string> {
  return coding === undefined ? { ...headers } : { ...headers, 'content-encoding': coding }
}
