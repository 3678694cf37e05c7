import { type Kind, LIMITS, MEDIA_TYPES, type User } from '@fish-crab/sdk/contract'
import { HTTPResponse } from 'h3'
import type { Collection, FishStorage, RecordForm } from '../../storage/types.ts'
import { empty, jsonBytes } from '../http/answer.ts'
import { chooseCoding, encodeBytes, encodeStream, supportedCodings } from '../http/encoding.ts'
import { matchesEntityTag } from '../http/entity-tag.ts'
import { type CollectionBody, collectionBody } from './collection-body.ts'
import { decodeCursor } from './cursor.ts'
import { readPage } from './page.ts'
import { createReadyCache } from './ready-cache.ts'

/** What of a collection is asked for. */
interface CollectionRequest {
  readonly user: User
  readonly collection: Collection & { readonly kind: Kind }
  readonly form: RecordForm
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Answers reads of collections: conditional, compressed, whole or by pages. */
export type CollectionAnswerer = (request: Request, asked: CollectionRequest) => Promise<HTTPResponse>

const CACHE_BYTES = 32 * 1024 * 1024
const WORTH_COMPRESSING_BYTES = 1024
const FIRST = { sequence: 0, offset: 0 }

/** Makes the answerer with a cache of its own. */
export function createCollectionAnswerer(storage: FishStorage): CollectionAnswerer {
  const cache = createReadyCache(CACHE_BYTES)
  const codings = supportedCodings()

  function bodyOf({ user, collection, form, limit, cursor }: CollectionRequest): Promise<CollectionBody> {
    if (limit === undefined && cursor === undefined) {
      return collectionBody(user.name, collection.kind, storage.read(collection, form))
    }
    return pageBody(storage, { user, collection, form, limit, cursor })
  }

  return async (request, asked) => {
    // Before anything is read: what is read may be newer than the version says, never older.
    const version = await storage.version(asked.collection)
    const headers = {
      etag: `W/"${asked.user.id}.${version}"`,
      vary: 'Accept-Encoding',
      'cache-control': 'no-cache',
    }
    if (matchesEntityTag(request.headers.get('if-none-match'), headers.etag)) return empty(304, headers)

    const coding = chooseCoding(request.headers.get('accept-encoding'), codings)
    const key = JSON.stringify([asked.collection, asked.form, asked.limit, asked.cursor, coding])
    const ready = cache.get(key, version)
    if (ready) return jsonBytes(200, ready, withCoding(headers, isEncoded(ready, coding) ? coding : undefined))

    const body = await bodyOf(asked)
    if (body instanceof ReadableStream) {
      return new HTTPResponse(coding ? encodeStream(body, coding) : body, {
        status: 200,
        headers: { 'content-type': MEDIA_TYPES.json, ...withCoding(headers, coding) },
      })
    }
    const encode = coding !== undefined && body.byteLength >= WORTH_COMPRESSING_BYTES
    const bytes = encode ? await encodeBytes(body, coding) : body
    cache.set(key, version, bytes)
    return jsonBytes(200, bytes, withCoding(headers, encode ? coding : undefined))
  }
}

async function pageBody(
  storage: FishStorage,
  { user, collection, form, limit, cursor }: CollectionRequest,
): Promise<CollectionBody> {
  const start = cursor === undefined ? FIRST : decodeCursor(cursor)
  const { entries, nextCursor } = await readPage(storage, collection, form, start, limit ?? LIMITS.pageSize)
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return new TextEncoder().encode(`{"user":${JSON.stringify(user.name)},"${collection.kind}":[${entries}]${next}}`)
}

/** What was too small to be worth encoding is kept as it is, and begins as JSON does. */
function isEncoded(bytes: Uint8Array, coding: string | undefined): boolean {
  return coding !== undefined && bytes[0] !== '{'.charCodeAt(0)
}

function withCoding(headers: Readonly<Record<string, string>>, coding: string | undefined): Record<string, string> {
  return coding === undefined ? { ...headers } : { ...headers, 'content-encoding': coding }
}
