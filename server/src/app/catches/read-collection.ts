import { type Kind, LIMITS, MEDIA_TYPES, type User } from '@fish-crab/sdk/contract'
import type { Collection, FishStorage, RecordForm, StoredRecord } from '../../storage/types.ts'
import { type Cursors, invalidCursor } from '../http/cursors.ts'
import { type ContentEncoder, chooseCoding } from '../http/encoding.ts'
import { empty, type HandlerResponse, jsonBytes, matchesEntityTag } from '../http/response.ts'
import { createResponseCache } from './response-cache.ts'

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
export type CollectionReader = (request: Request, asked: CollectionRequest) => Promise<HandlerResponse>

const CACHE_BYTES = 32 * 1024 * 1024
const WORTH_COMPRESSING_BYTES = 1024
const FIRST = { sequence: 0, offset: 0 }

/** Makes the answerer with a cache of its own. */
export function createCollectionReader(
  storage: FishStorage,
  encoder: ContentEncoder,
  cursors: Cursors,
): CollectionReader {
  const cache = createResponseCache(CACHE_BYTES)

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

/** A body: whole, or as it is read. */
type CollectionBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

/** A body of up to about so many characters is answered as a whole. */
const WHOLE_CHARACTERS = 64 * 1024

const encoder = new TextEncoder()

/**
 * The JSON of a whole collection. What is small is answered as a whole; what is larger as a stream that reads no
 * further than its own reader, so that memory stays bounded however many entries and readers there are. Nothing is
 * parsed on the way.
 */
async function collectionBody(
  user: string,
  kind: Kind,
  chunks: AsyncIterable<readonly StoredRecord[]>,
): Promise<CollectionBody> {
  const iterator = chunks[Symbol.asyncIterator]()
  const head = `{"user":${JSON.stringify(user)},"${kind}":[`
  let begun = head
  while (begun.length < WHOLE_CHARACTERS) {
    const next = await iterator.next()
    if (next.done) return encoder.encode(`${begun}]}`)
    begun += `${begun === head ? '' : ','}${join(next.value)}`
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (begun) {
          controller.enqueue(encoder.encode(begun))
          // A reader may take its time over the rest.
          begun = ''
          return
        }
        const next = await iterator.next()
        controller.enqueue(encoder.encode(next.done ? ']}' : `,${join(next.value)}`))
        if (next.done) controller.close()
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

function join(records: readonly StoredRecord[]): string {
  return records.map(({ entries }) => entries).join(',')
}

/** One page of a collection. `entries` are JSON objects joined by commas. */
interface Page {
  readonly entries: string
  /** Where the next page begins; absent on the last one. */
  readonly next?: Position
}

/**
 * Reads one page. Whole records are taken as they lie; only those at the page's edges, of which it takes a part, are
 * parsed.
 */
async function readPage(
  storage: FishStorage,
  collection: Collection,
  form: RecordForm,
  start: Position,
  limit: number,
): Promise<Page> {
  const parts: string[] = []
  let taken = 0
  let skip = start.offset
  for await (const chunk of storage.read(collection, form, {
    from: start.sequence,
    entries: start.offset + limit + 1,
  })) {
    for (const { sequence, count, entries } of chunk) {
      const first = Math.min(sequence === start.sequence ? skip : 0, count)
      skip = 0
      const room = limit - taken
      if (room === 0) return { entries: parts.join(','), next: { sequence, offset: first } }
      const last = Math.min(count, first + room)
      if (last > first) parts.push(slice(entries, count, first, last))
      taken += last - first
      if (last < count) return { entries: parts.join(','), next: { sequence, offset: last } }
    }
  }
  return { entries: parts.join(',') }
}

function slice(entries: string, count: number, first: number, last: number): string {
  if (first === 0 && last === count) return entries
  const parsed = JSON.parse(`[${entries}]`) as unknown[]
  return parsed
    .slice(first, last)
    .map((entry) => JSON.stringify(entry))
    .join(',')
}

/** A place in a collection: a record, and how many of its entries lie before the place. */
interface Position {
  readonly sequence: number
  readonly offset: number
}

/** A position as the opaque text that clients hand back. */
function encodeCursor(cursors: Cursors, { sequence, offset }: Position, collection: Collection): Promise<string> {
  return cursors.sign(`${sequence.toString(36)}.${offset.toString(36)}`, scopeOf(collection))
}

/** Reads a cursor of this collection, or fails with `invalid_query`. */
async function decodeCursor(cursors: Cursors, cursor: string, collection: Collection): Promise<Position> {
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
