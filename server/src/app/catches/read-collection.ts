import { type Gamemode, type Kind, LIMITS, type User } from '@fish-crab/sdk/contract'
import type { Collection, FishStorage, StoredRecord } from '../../storage/core/types.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import { formatPosition, type Position, parsePosition } from '../core/position.ts'
import { createSlices, encodeJson } from '../core/slices.ts'
import { type Cursors, invalidCursor } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import type { HandlerResponse } from '../http/response.ts'
import type { EncodedResponses } from './encoded-response.ts'
import { type Form, formatEntries, formatSlots } from './record.ts'
import { summaryOf } from './summary.ts'

interface CollectionRequest {
  readonly user: User
  readonly collection: Collection & { readonly kind: Kind; readonly gamemode: Gamemode }
  /** `species`: a summary instead of the entries. */
  readonly form: Form | 'species'
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** Key of the site of the client, for its turns in the read queue. */
  readonly client: string
}

export type CollectionReader = (request: Request, options: CollectionRequest) => Promise<HandlerResponse>

const START = { sequence: 0, offset: 0 }

interface CollectionReaderOptions {
  readonly storage: FishStorage
  readonly responses: EncodedResponses
  readonly cursors: Cursors
  readonly queue: FairQueue
}

export function createCollectionReader({
  storage,
  responses,
  cursors,
  queue,
}: CollectionReaderOptions): CollectionReader {
  return async (request, options) => {
    const { user, collection, form, limit, cursor, client } = options
    // An invalid cursor is an error, even if a conditional header matches (RFC 9110, section 13.2.1).
    const start = cursor === undefined ? START : await decodeCursor(cursors, cursor, collection)
    // Read the version first, so that the records may be newer than the version, but never older.
    // The body contains the name, which a rename changes.
    const version = `${user.name}.${await storage.version(collection)}`
    // The tag of a summary differs from the tag of the whole collection. Otherwise, a client that received the whole
    // collection from an older server would get a 304 for the summary.
    const etag = `W/"${user.id}.${version}${form === 'species' ? '.species' : ''}"`
    const response = responses(request, { etag, version, name: `${scopeOf(collection)} ${form}`, client })
    const isWhole = limit === undefined && cursor === undefined
    const known = response.unchanged() ?? (isWhole ? response.cached() : undefined)
    if (known) return known
    const { signal } = request
    if (form === 'species') {
      return response.shared((shared) =>
        queue.run({ client, signal: shared, work: () => summaryBody(storage, shared, options) }),
      )
    }
    const body = isWhole
      ? await collectionBody(
          user.name,
          collection.kind,
          (work) => queue.run({ client, signal, work }),
          textsOf(storage.read(collection), form),
        )
      : await pageBody(storage, cursors, { ...options, form }, start)
    return body instanceof ReadableStream ? response.stream(body) : response.whole(body, isWhole)
  }
}

async function summaryBody(
  storage: FishStorage,
  signal: AbortSignal,
  { user, collection }: CollectionRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { kind, gamemode } = collection
  const { count, species } = await storage.collectionTallies(collection)
  signal.throwIfAborted()
  if (!species) throw new HttpError('too_many_species')
  return encodeJson(await summaryOf(kind, { user: user.name, gamemode, total: count }, species, createSlices(signal)))
}

async function pageBody(
  storage: FishStorage,
  cursors: Cursors,
  { user, collection, form, limit }: CollectionRequest & { readonly form: Form },
  start: Position,
): Promise<CollectionBody> {
  const { entries, next: position } = await readPage(storage, collection, form, start, limit ?? LIMITS.pageSize)
  const nextCursor = position && (await cursors.sign(formatPosition(position), scopeOf(collection)))
  const next = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`
  return textEncoder.encode(`{"user":${JSON.stringify(user.name)},"${collection.kind}":[${entries}]${next}}`)
}

type CollectionBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

const MAX_WHOLE_CHARACTERS = 64 * 1024

const textEncoder = new TextEncoder()

/**
 * Builds the JSON of a whole collection from stored JSON, without parsing. A large collection becomes a stream that
 * reads the storage only as fast as the client reads the response, so memory stays bounded for any number of entries
 * and clients.
 */
async function collectionBody(
  user: string,
  kind: Kind,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
  texts: AsyncIterable<string>,
): Promise<CollectionBody> {
  const iterator = texts[Symbol.asyncIterator]()
  const nextText = () => inTurn(() => iterator.next())
  const head = `{"user":${JSON.stringify(user)},"${kind}":[`
  let text = head
  while (text.length < MAX_WHOLE_CHARACTERS) {
    const next = await nextText()
    if (next.done) return textEncoder.encode(`${text}]}`)
    text += `${text === head ? '' : ','}${next.value}`
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (text) {
          controller.enqueue(textEncoder.encode(text))
          // Free the text now, because a slow client keeps the stream open.
          text = ''
          return
        }
        const next = await nextText()
        controller.enqueue(textEncoder.encode(next.done ? ']}' : `,${next.value}`))
        if (next.done) controller.close()
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* textsOf(chunks: AsyncIterable<readonly StoredRecord[]>, form: Form): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.map((record) => formatEntries(record, form)).join(',')
}

interface Page {
  /** JSON objects joined by commas. */
  readonly entries: string
  /** Start of the next page; absent on the last page. */
  readonly next?: Position
}

/**
 * Reads one page. Only the first and the last record are parsed, because the page may begin or end in the middle of a
 * record. Offsets count removed entries, too.
 */
async function readPage(
  storage: FishStorage,
  collection: Collection,
  form: Form,
  start: Position,
  limit: number,
): Promise<Page> {
  const parts: string[] = []
  let taken = 0
  const range = { from: start.sequence, entries: start.offset + limit + 1 }
  for await (const chunk of storage.read(collection, range)) {
    for (const record of chunk) {
      const { sequence, count } = record
      const skipped = sequence === start.sequence ? start.offset : 0
      if (skipped === 0 && taken + count <= limit) {
        parts.push(formatEntries(record, form))
        taken += count
        continue
      }
      for (const [offset, entry] of formatSlots(record, form).entries()) {
        if (offset < skipped || entry === undefined) continue
        if (taken === limit) return { entries: parts.join(','), next: { sequence, offset } }
        parts.push(entry)
        taken += 1
      }
    }
  }
  return { entries: parts.join(',') }
}

async function decodeCursor(cursors: Cursors, cursor: string, collection: Collection): Promise<Position> {
  const position = parsePosition(await cursors.verify(cursor, scopeOf(collection)))
  if (!position) throw invalidCursor()
  return position
}

function scopeOf({ owner, kind, gamemode }: Collection): string {
  return JSON.stringify([owner, kind, gamemode])
}
