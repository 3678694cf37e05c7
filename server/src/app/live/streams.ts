import { HEADERS, type Kind, STREAM_LIMITS, type User } from '@fish-crab/sdk/contract'
import { StorageError } from '../../storage/core/errors.ts'
import { type Change, type Collection, type FishStorage, REMOVED_VERSION } from '../../storage/core/types.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import type { Metrics } from '../core/host.ts'
import type { Schedule } from '../core/schedule.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import { formatEventId, type Position, parseEventId, scopeTag } from './event-id.ts'
import { type CatchRecord, catchEvents, eventText, HEARTBEAT, openingText, toCatchRecord } from './event-text.ts'

/** Options of the event streams of `createApp`. */
export interface StreamOptions {
  /** Streams that may be open at once. @default 2000 */
  readonly total?: number
  /** Streams that one client may have open at once. @default 10 */
  readonly perClient?: number
  /** Interval of the comments that keep idle streams open, in milliseconds. @default 15000 */
  readonly heartbeatMs?: number
  /** Interval of the checks that find changes of which no signal came, in milliseconds. @default 5000 */
  readonly checkMs?: number
}

interface StreamsOptions {
  readonly storage: FishStorage
  readonly schedule: Schedule
  readonly readQueue: FairQueue
  readonly metrics: Pick<Metrics, 'observeStreams'> | undefined
  readonly storeId: Pick<StoreId, 'get' | 'check'>
  readonly limits: StreamOptions
}

interface StreamRequest {
  readonly user: User
  readonly gamemode: string
  readonly kinds: readonly Kind[]
  readonly lastEventId: string | undefined
  /** Whether the stream stays open after the events that there are. */
  readonly follow: boolean
  /** Key of the client, for its share of the streams. */
  readonly client: string
  readonly signal: AbortSignal
}

/** Most entries that a stream reads by itself at once. */
const CATCH_UP_ENTRIES = 500
/** Most notices that wait for a slow client: a wrong import may be removed entry by entry. */
const MAX_NOTICES = 1000
/** Heartbeats that a client may leave unread. */
const MAX_UNREAD_HEARTBEATS = 4
const RETRY_AFTER_SECONDS = 10
/** Heartbeats, or checks, that are made before requests get a turn of the event loop: about a millisecond's. */
const AT_ONCE = 50

/** A collection that has streams. */
interface Topic {
  readonly collection: Collection & { readonly kind: Kind }
  readonly streams: Set<Stream>
  /** The newest record that was read for its streams. */
  newest: number
  version: string | undefined
  isReading: boolean
  isChanged: boolean
}

interface Stream {
  readonly topics: readonly Topic[]
  readonly positions: Partial<Record<Kind, Position>>
  /** Of its ids. */
  readonly tag: string
  readonly client: string
  readonly signal: AbortSignal
  readonly follow: boolean
  /** What there was when it was opened, by kind. */
  readonly targets: Readonly<Partial<Record<Kind, number>>>
  /** Events besides catches, which are sent first. */
  readonly notices: string[]
  isEnding: boolean
  isReading: boolean
  unreadHeartbeats: number
  /** Sends bytes to a client that waits for some; `undefined` while it does not. */
  send: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined
  close(error?: Error): void
}

const encoder = new TextEncoder()
const encode = (text: string) => encoder.encode(text)
const HEARTBEAT_BYTES = encode(HEARTBEAT)

/**
 * Creates the event streams of a service. The store is the truth: a signal of it only says when to look, and a regular
 * check finds what no signal came for. A collection is read once for all streams that wait for it. A client that does not
 * wait takes no memory: its stream continues from its own position, out of the store.
 */
export function createStreams({ storage, schedule, readQueue, metrics, storeId, limits }: StreamsOptions) {
  const { total = STREAM_LIMITS.total, perClient = STREAM_LIMITS.perClient } = limits
  const { heartbeatMs = 15_000, checkMs = 5000 } = limits
  const open = new Set<Stream>()
  const openByClient = new Map<string, number>()
  /** By owner, then by collection. */
  const topics = new Map<string, Map<string, Topic>>()
  /** Ends signals and timers. There are none without a stream. */
  let stopWatching: (() => void) | undefined
  let reserved = 0

  function reserve(client: string): () => void {
    const own = openByClient.get(client) ?? 0
    if (reserved >= total || own >= perClient) {
      throw new HttpError('unavailable', {
        message: 'Too many event streams are open. Close one, or try again later.',
        headers: { [HEADERS.retryAfter]: String(RETRY_AFTER_SECONDS) },
      })
    }
    reserved += 1
    openByClient.set(client, own + 1)
    metrics?.observeStreams?.(reserved)
    return () => {
      reserved -= 1
      metrics?.observeStreams?.(reserved)
      const left = (openByClient.get(client) ?? 1) - 1
      if (left > 0) openByClient.set(client, left)
      else openByClient.delete(client)
    }
  }

  function topicOf(collection: Topic['collection'], newest: number): Topic {
    const ofOwner = topics.get(collection.owner) ?? new Map<string, Topic>()
    topics.set(collection.owner, ofOwner)
    const topic = ofOwner.get(keyOf(collection)) ?? {
      collection,
      streams: new Set(),
      newest,
      version: undefined,
      isReading: false,
      isChanged: false,
    }
    ofOwner.set(keyOf(collection), topic)
    return topic
  }

  function leaveTopic({ streams, collection }: Topic, stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    const ofOwner = topics.get(collection.owner)
    ofOwner?.delete(keyOf(collection))
    if (ofOwner?.size === 0) topics.delete(collection.owner)
  }

  const allTopics = () => [...topics.values()].flatMap((ofOwner) => [...ofOwner.values()])

  /** Reads what is new in a collection, and sends it to the streams that wait for it. */
  async function readTopic(topic: Topic): Promise<void> {
    topic.isChanged = true
    if (topic.isReading) return
    topic.isReading = true
    try {
      while (topic.isChanged && topic.streams.size > 0) {
        topic.isChanged = false
        await readChanges(topic)
      }
    } finally {
      topic.isReading = false
    }
  }

  async function readChanges(topic: Topic): Promise<void> {
    const { collection, streams } = topic
    // Before the records: they may be newer than this version, never older.
    const version = await storage.version(collection)
    if (version === topic.version) return
    if (version === REMOVED_VERSION) {
      await forEachInTurns([...streams], (stream) => endWith(stream, eventText('deleted', '{}')))
      return
    }
    for await (const chunk of storage.read(collection, { from: topic.newest + 1 })) {
      const before = topic.newest
      topic.newest = chunk.at(-1)?.sequence ?? before
      const eventsOf = shareEvents(
        collection.kind,
        chunk.map((record) => toCatchRecord(record, collection.kind)),
      )
      await forEachInTurns([...streams], (stream) => {
        if (isBehind(stream, collection.kind, before)) advance(stream)
        else sendEvents(stream, collection.kind, eventsOf)
      })
    }
    topic.version = version
  }

  function isBehind({ positions, targets }: Stream, kind: Kind, newest: number): boolean {
    const { sequence } = positions[kind] as Position
    return sequence <= Math.max(newest, targets[kind] ?? 0)
  }

  /** Does nothing for a client that is not ready for more: its stream is behind from then on. */
  function sendEvents(stream: Stream, kind: Kind, eventsOf: ReturnType<typeof shareEvents>): void {
    if (!stream.send || stream.isReading) return
    const { bytes, position } = eventsOf(stream)
    stream.positions[kind] = position
    if (bytes.byteLength > 0) stream.send(bytes)
  }

  /** Continues a stream whose client waits for more. */
  function advance(stream: Stream): void {
    if (!stream.send || stream.isReading) return
    if (stream.notices.length > 0) {
      stream.send(encode(stream.notices.splice(0).join('')))
      return
    }
    if (stream.isEnding) {
      stream.close()
      return
    }
    const topic = stream.topics.find(({ collection, newest }) => isBehind(stream, collection.kind, newest))
    if (topic) {
      stream.isReading = true
      const { client, signal } = stream
      readQueue.run({ client, signal, work: () => catchUp(stream, topic) }).then(
        () => {
          stream.isReading = false
          advance(stream)
        },
        (error: Error) => stream.close(error),
      )
    } else if (!stream.follow) stream.close()
  }

  /** Sends the next records out of the store. */
  async function catchUp(stream: Stream, { collection, newest }: Topic): Promise<void> {
    const { kind } = collection
    const { sequence, offset } = stream.positions[kind] as Position
    const end = Math.max(newest, stream.targets[kind] ?? 0)
    for await (const chunk of storage.read(collection, {
      from: sequence,
      entries: offset + CATCH_UP_ENTRIES,
    })) {
      const { text, position } = catchEvents(
        chunk.map((record) => toCatchRecord(record, collection.kind)),
        kind,
        stream,
      )
      stream.positions[kind] = position
      if (text === '') continue
      stream.send?.(encode(text))
      return
    }
    // What there was is removed.
    const position = stream.positions[kind] as Position
    if (position.sequence <= end) stream.positions[kind] = { sequence: end + 1, offset: 0 }
  }

  function notify(stream: Stream, text: string): void {
    if (stream.notices.push(text) > MAX_NOTICES) stream.close(tooSlow())
    else advance(stream)
  }

  function endWith(stream: Stream, text: string): void {
    if (stream.isEnding) return
    stream.isEnding = true
    notify(stream, text)
  }

  function receive(change?: Change): void {
    const changed = change ? [...(topics.get(change.owner)?.values() ?? [])] : allTopics()
    for (const topic of changed) {
      const { kind, gamemode } = topic.collection
      if (change?.kind !== undefined && (change.kind !== kind || change.gamemode !== gamemode)) continue
      if (change?.removed !== undefined) {
        const text = eventText('removed', JSON.stringify({ kind, id: change.removed }))
        void forEachInTurns([...topic.streams], (stream) => notify(stream, text))
      }
      // If the store fails, the next check tries again.
      readTopic(topic).catch(() => {})
    }
  }

  function closeAll(): void {
    for (const stream of [...open]) stream.close()
  }

  async function check(): Promise<void> {
    // One after the other: the check must not compete with requests. If the store fails, the next check tries again.
    try {
      storeId.check()
      await forEachInTurns(allTopics(), readTopic)
    } catch (error) {
      // Clients connect again, and learn that their event ids are no longer valid.
      if (error instanceof StorageError && error.code === 'replaced') closeAll()
    }
  }

  const beat = () =>
    forEachInTurns([...open], (stream) => {
      // A stream that is reading waits for the storage, so its client is not late.
      if (stream.isReading) return
      if (stream.send) {
        stream.send(HEARTBEAT_BYTES)
      } else {
        stream.unreadHeartbeats += 1
        if (stream.unreadHeartbeats > MAX_UNREAD_HEARTBEATS) stream.close(tooSlow())
      }
    })

  async function forEachInTurns<Item>(items: readonly Item[], run: (item: Item) => Promise<void> | void) {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % AT_ONCE === 0) await new Promise<void>((resolve) => void schedule(0, resolve))
      const running = run(item)
      if (running) await running
    }
  }

  function watch(): () => void {
    const stops = [storage.onChange(receive), repeat(schedule, heartbeatMs, beat), repeat(schedule, checkMs, check)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** The body of a stream that was added to its topics. */
  function bodyOf(stream: Stream, release: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { signal } = stream
    let resume = () => {}
    const remove = () => {
      if (!open.delete(stream)) return
      signal.removeEventListener('abort', abort)
      stream.send = undefined
      for (const topic of stream.topics) leaveTopic(topic, stream)
      release()
      if (open.size > 0) return
      stopWatching?.()
      stopWatching = undefined
    }
    const abort = () => stream.close(signal.reason)
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start(controller) {
          stream.close = (error) => {
            if (!open.has(stream)) return
            remove()
            if (error) controller.error(error)
            else controller.close()
            resume()
          }
          signal.addEventListener('abort', abort, { once: true })
        },
        pull(controller) {
          return new Promise<void>((resolve) => {
            resume = resolve
            stream.unreadHeartbeats = 0
            stream.send = (bytes) => {
              stream.send = undefined
              controller.enqueue(bytes)
              resolve()
            }
            advance(stream)
          })
        },
        cancel: remove,
      },
      // Nothing is made before the client takes it.
      { highWaterMark: 0 },
    )
  }

  return {
    /** Throws `unavailable` above the limits, `invalid_event_id`, `user_not_found`. */
    async open(request: StreamRequest): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
      const { user, gamemode, kinds, lastEventId, follow, client, signal } = request
      const release = reserve(client)
      try {
        const tag = await scopeTag({ storeId: await storeId.get(), owner: user.id, gamemode, kinds })
        const resumed = lastEventId === undefined ? {} : parseEventId(lastEventId, tag, kinds)
        const places = kinds.map((kind) => ({ owner: user.id, kind, gamemode }))
        const [version, ...newest] = await Promise.all([
          storage.version(places[0] as Collection),
          ...places.map((place) => storage.newest(place)),
        ])
        if (version === REMOVED_VERSION) throw new HttpError('user_not_found')
        signal.throwIfAborted()
        const targets = Object.fromEntries(kinds.map((kind, at) => [kind, newest[at] ?? 0]))
        const positions: Stream['positions'] = Object.fromEntries(
          kinds.map((kind, at) => {
            const next = { sequence: (newest[at] ?? 0) + 1, offset: 0 }
            const position = resumed[kind] ?? next
            // A forged id may name what does not exist yet, and so may a true one after Redis lost what it names.
            return [kind, position.sequence < next.sequence ? position : next]
          }),
        )
        const stream: Stream = {
          topics: places.map((place, at) => topicOf(place, newest[at] ?? 0)),
          positions,
          tag,
          client,
          signal,
          follow,
          targets,
          notices: [],
          isEnding: false,
          isReading: false,
          unreadHeartbeats: 0,
          send: undefined,
          close: () => {},
        }
        stream.notices.push(openingText({ user: user.name, gamemode }, formatEventId(tag, positions)))
        stopWatching ??= watch()
        open.add(stream)
        const body = bodyOf(stream, release)
        for (const topic of stream.topics) {
          topic.streams.add(stream)
          // The signal of a change after `newest` may have come before the stream was here.
          readTopic(topic).catch(() => {})
        }
        return body
      } catch (error) {
        release()
        throw error
      }
    },

    /** Ends all streams, so that their clients connect again, to another process or to this one after its restart. */
    close: closeAll,
  }
}

/** The events of records by the position of a stream: those who wait for the same ones share their bytes. */
function shareEvents(kind: Kind, records: readonly CatchRecord[]) {
  const byPosition = new Map<string, { readonly bytes: Uint8Array<ArrayBuffer>; readonly position: Position }>()
  return (stream: Stream) => {
    const key = formatEventId(stream.tag, stream.positions)
    const known = byPosition.get(key)
    if (known) return known
    const { text, position } = catchEvents(records, kind, stream)
    const events = { bytes: encode(text), position }
    byPosition.set(key, events)
    return events
  }
}

/** Runs again some time after the last run has ended. */
function repeat(schedule: Schedule, milliseconds: number, run: () => Promise<void>): () => void {
  let isStopped = false
  let cancel = () => {}
  const next = () => {
    if (isStopped) return
    cancel = schedule(milliseconds, () => {
      void run().then(next)
    })
  }
  next()
  return () => {
    isStopped = true
    cancel()
  }
}

function keyOf({ kind, gamemode }: Collection): string {
  return `${kind} ${gamemode}`
}

function tooSlow(): HttpError {
  return new HttpError('unavailable', { message: 'The client does not read its events.' })
}
