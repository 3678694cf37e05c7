import { type Kind, STREAM_LIMITS, type User } from '@fish-crab/sdk/contract'
import { StorageError } from '../../storage/core/errors.ts'
import { type Change, type Collection, type FishStorage, REMOVED_VERSION } from '../../storage/core/types.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import type { Metrics } from '../core/host.ts'
import type { Position } from '../core/position.ts'
import type { Schedule } from '../core/schedule.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import { formatEventId, parseEventId, scopeTag } from './event-id.ts'
import { type CatchRecord, catchEvents, eventText, HEARTBEAT, openingText, toCatchRecord } from './event-text.ts'
import { createStreamLimits, type StreamClient } from './stream-limits.ts'

/** Options of the event streams of `createApp`. */
export interface StreamOptions {
  /** Maximum number of open streams. @default 2000 */
  readonly total?: number
  /** Maximum number of open streams of one client. @default 10 */
  readonly perClient?: number
  /** Interval of the comments that keep idle streams open, in milliseconds. @default 15000 */
  readonly heartbeatMs?: number
  /** Interval of the polls for changes that the storage did not signal, in milliseconds. @default 5000 */
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

interface StreamRequest extends StreamClient {
  readonly user: User
  readonly gamemode: string
  readonly kinds: readonly Kind[]
  readonly lastEventId: string | undefined
  /** Whether the stream stays open after all existing events are sent. */
  readonly follow: boolean
  readonly signal: AbortSignal
}

/** Maximum number of entries that a stream reads in one turn. */
const CATCH_UP_ENTRIES = 500
/**
 * Maximum number of notices that wait for a slow client. Undoing an import can cause many notices, because it removes
 * record by record.
 */
const MAX_NOTICES = 1000
/** Maximum number of unread heartbeats before a stream is closed. */
const MAX_UNREAD_HEARTBEATS = 4
/** Number of streams or topics that are handled in one turn of the event loop, which takes about a millisecond. */
const AT_ONCE = 50

/** A collection with open streams. */
interface Topic {
  readonly collection: Collection & { readonly kind: Kind }
  readonly streams: Set<Stream>
  /** Sequence of the newest record that was read. */
  newest: number
  version: string | undefined
  /** Formats the records that were just read for a stream. All streams at the same position share the bytes. */
  latest: ((stream: Stream) => Uint8Array<ArrayBuffer> | undefined) | undefined
  /** `once`: the topic is being read. `again`: the topic has to be read again after the current read. */
  reading: 'no' | 'once' | 'again'
}

interface Stream extends Pick<StreamRequest, 'site' | 'signal' | 'follow'> {
  readonly topics: readonly Topic[]
  readonly positions: Partial<Record<Kind, Position>>
  /** Beginning of the stream's event ids. */
  readonly tag: string
  /** Sequence of the newest record when the stream was opened, by kind. */
  readonly targets: Readonly<Partial<Record<Kind, number>>>
  /** Events other than catches, which are sent before catches. `null` marks the end of the stream. */
  readonly notices: (string | null)[]
  /** Whether the client waits for data. */
  isPulled: boolean
  unreadHeartbeats: number
  /** Resumes the generator, which waits while it has nothing to send. */
  wake: (reason: 'change' | 'heartbeat') => void
  close(error?: Error): void
}

const encoder = new TextEncoder()
const encode = (text: string) => encoder.encode(text)
const HEARTBEAT_BYTES = encode(HEARTBEAT)

/**
 * Creates the event streams of a service. All events come from the store: a signal only wakes the streams, and a
 * regular check finds changes that the store did not signal. Each stream is a generator with a position in the store. A
 * new record is read and formatted once for all streams whose clients wait for it. Slow clients take no memory: each of
 * their streams reads from the store later, from its own position.
 */
export function createStreams({ storage, schedule, readQueue, metrics, storeId, limits }: StreamsOptions) {
  const { total = STREAM_LIMITS.total, perClient = STREAM_LIMITS.perClient } = limits
  const { heartbeatMs = 15_000, checkMs = 5000 } = limits
  const open = new Set<Stream>()
  const streamLimits = createStreamLimits({ total, perClient, onChange: (count) => metrics?.observeStreams?.(count) })
  const topics = new Map<string, Topic[]>()
  /** Stops the signals and the timers, which run only while a stream is open. */
  let stopWatching: (() => void) | undefined
  function topicOf(collection: Topic['collection'], newest: number): Topic {
    const ofOwner = topics.get(collection.owner) ?? []
    const known = ofOwner.find((topic) => isOf(topic, collection))
    if (known) return known
    const topic: Topic = {
      ...{ collection, newest, streams: new Set() },
      ...{ version: undefined, latest: undefined, reading: 'no' },
    }
    topics.set(collection.owner, [...ofOwner, topic])
    return topic
  }

  function leaveTopic(topic: Topic, stream: Stream): void {
    topic.streams.delete(stream)
    if (topic.streams.size > 0) return
    const { owner } = topic.collection
    const others = topics.get(owner)?.filter((one) => one !== topic) ?? []
    if (others.length > 0) topics.set(owner, others)
    else topics.delete(owner)
  }

  async function forEachInTurns<Item>(items: readonly Item[], run: (item: Item) => Promise<void> | void) {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % AT_ONCE === 0) await new Promise<void>((resolve) => void schedule(0, resolve))
      const running = run(item)
      if (running) await running
    }
  }

  /** Reads the new records of a collection and wakes its streams. If the store fails, the next check tries again. */
  async function readTopic(topic: Topic): Promise<void> {
    if (topic.reading !== 'no') {
      topic.reading = 'again'
      return
    }
    try {
      do {
        topic.reading = 'once'
        await readChanges(topic)
      } while ((topic.reading as Topic['reading']) === 'again' && topic.streams.size > 0)
    } finally {
      topic.reading = 'no'
      topic.latest = undefined
    }
  }

  async function readChanges(topic: Topic): Promise<void> {
    const { collection } = topic
    // Read the version first, so that the records may be newer than the version, but never older.
    const version = await storage.version(collection)
    if (version === topic.version) return
    if (version === REMOVED_VERSION) {
      await forEachInTurns([...topic.streams], (stream) => notify(stream, eventText('deleted', '{}'), null))
      return
    }
    for await (const chunk of storage.read(collection, { from: topic.newest + 1 })) {
      const records = chunk.map((record) => toCatchRecord(record, collection.kind))
      topic.latest = shareEvents(collection.kind, topic.newest, records)
      topic.newest = records.at(-1)?.sequence ?? topic.newest
      await forEachInTurns([...topic.streams], (stream) => stream.wake('change'))
      // Let the streams continue in microtasks before the next chunk replaces `latest`.
      await Promise.resolve()
    }
    topic.version = version
  }

  /** Reads the next records of a stream from the store. */
  async function catchUp(stream: Stream, { collection, newest }: Topic): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { kind } = collection
    const { sequence, offset } = stream.positions[kind] as Position
    for await (const chunk of storage.read(collection, { from: sequence, entries: offset + CATCH_UP_ENTRIES })) {
      const records = chunk.map((record) => toCatchRecord(record, kind))
      const { text, position } = catchEvents(records, kind, stream)
      stream.positions[kind] = position
      if (text !== '') return encode(text)
    }
    // The records at this position were removed, so move the position behind them.
    const { sequence: reached } = stream.positions[kind] as Position
    const end = Math.max(newest, stream.targets[kind] ?? 0)
    if (reached <= end) stream.positions[kind] = { sequence: end + 1, offset: 0 }
    return undefined
  }

  function isBehind({ positions, targets }: Stream, { collection: { kind }, newest }: Topic): boolean {
    return (positions[kind] as Position).sequence <= Math.max(newest, targets[kind] ?? 0)
  }

  async function* eventsOf(stream: Stream): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const { site, signal } = stream
    while (open.has(stream)) {
      if (stream.notices[0] === null) return
      const topic = stream.topics.find((one) => isBehind(stream, one))
      if (stream.notices.length > 0) {
        const end = stream.notices.indexOf(null)
        yield encode(stream.notices.splice(0, end === -1 ? stream.notices.length : end).join(''))
      } else if (topic) {
        const work = () => catchUp(stream, topic)
        const bytes = topic.latest?.(stream) ?? (await readQueue.run({ client: site, signal, work }))
        if (bytes) yield bytes
      } else if (!stream.follow) {
        return
      } else {
        const reason = await new Promise((resolve: Stream['wake']) => {
          stream.wake = resolve
        })
        if (reason === 'heartbeat') yield HEARTBEAT_BYTES
      }
    }
  }

  function notify(stream: Stream, ...notices: (string | null)[]): void {
    if (stream.notices.includes(null)) return
    if (stream.notices.push(...notices) > MAX_NOTICES) stream.close(tooSlow())
    else stream.wake('change')
  }

  function receive(change?: Change): void {
    const changed = change ? (topics.get(change.owner) ?? []) : [...topics.values()].flat()
    for (const topic of changed) {
      if (change?.kind !== undefined && !isOf(topic, change)) continue
      if (change?.removed !== undefined) {
        const { removed: id, entry } = change
        const text = eventText('removed', JSON.stringify({ kind: topic.collection.kind, id, entry }))
        void forEachInTurns([...topic.streams], (stream) => notify(stream, text))
      }
      readTopic(topic).catch(() => {})
    }
  }

  function closeAll(): void {
    for (const stream of [...open]) stream.close()
  }

  async function check(): Promise<void> {
    try {
      storeId.check()
      // Topics are read one after the other, so that the check does not compete with requests.
      await forEachInTurns([...topics.values()].flat(), readTopic)
    } catch (error) {
      // The store was replaced. Clients reconnect, and the server refuses their old event ids.
      if (error instanceof StorageError && error.code === 'replaced') closeAll()
    }
  }

  const beat = () =>
    forEachInTurns([...open], (stream) => {
      if (stream.isPulled) return stream.wake('heartbeat')
      stream.unreadHeartbeats += 1
      if (stream.unreadHeartbeats > MAX_UNREAD_HEARTBEATS) stream.close(tooSlow())
    })

  function watch(): () => void {
    const stops = [storage.onChange(receive), repeat(schedule, heartbeatMs, beat), repeat(schedule, checkMs, check)]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Creates the response body of a stream. The body produces events only when the client reads. */
  function bodyOf(stream: Stream, release: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { signal } = stream
    const events = eventsOf(stream)
    const abort = () => stream.close(signal.reason)
    const leave = () => {
      if (!open.delete(stream)) return false
      signal.removeEventListener('abort', abort)
      for (const topic of stream.topics) leaveTopic(topic, stream)
      release()
      stream.wake('change')
      if (open.size === 0) {
        stopWatching?.()
        stopWatching = undefined
      }
      return true
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start(controller) {
          stream.close = (error) => {
            if (!leave()) return
            if (error) controller.error(error)
            else controller.close()
          }
          signal.addEventListener('abort', abort, { once: true })
        },
        async pull(controller) {
          stream.isPulled = true
          stream.unreadHeartbeats = 0
          try {
            const { value } = await events.next()
            stream.isPulled = false
            if (!value) stream.close()
            else if (open.has(stream)) controller.enqueue(value)
          } catch (error) {
            stream.close(error as Error)
          }
        },
        cancel() {
          leave()
        },
      },
      { highWaterMark: 0 },
    )
  }

  return {
    /** Opens a stream. Throws `invalid_event_id`, `user_not_found` or `too_many_streams`. */
    async open(request: StreamRequest): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
      const { user, gamemode, kinds, lastEventId, follow, site, signal } = request
      const release = streamLimits.reserve(request)
      try {
        const tag = await scopeTag({ storeId: await storeId.get(), owner: user.id, gamemode, kinds })
        const resumed = lastEventId === undefined ? {} : parseEventId(lastEventId, tag, kinds)
        const collections = kinds.map((kind) => ({ owner: user.id, kind, gamemode }))
        const [version, ...latest] = await Promise.all([
          storage.version(collections[0] as Collection),
          ...collections.map((collection) => storage.latest(collection, 1)),
        ])
        if (version === REMOVED_VERSION) throw new HttpError('user_not_found')
        signal.throwIfAborted()
        const newest = latest.map(([record]) => record?.sequence ?? 0)
        const targets = Object.fromEntries(kinds.map((kind, at) => [kind, newest[at] ?? 0]))
        const positions: Stream['positions'] = Object.fromEntries(
          kinds.map((kind, at) => {
            const next = { sequence: (newest[at] ?? 0) + 1, offset: 0 }
            const position = resumed[kind] ?? next
            // The position may be in the future if the id was forged, or if Redis has lost writes.
            return [kind, position.sequence < next.sequence ? position : next]
          }),
        )
        const stream: Stream = {
          ...{ site, signal, follow, tag, positions, targets },
          topics: collections.map((collection, at) => topicOf(collection, newest[at] ?? 0)),
          notices: [openingText({ user: user.name, gamemode }, formatEventId(tag, positions))],
          isPulled: false,
          unreadHeartbeats: 0,
          wake: () => {},
          close: () => {},
        }
        stopWatching ??= watch()
        open.add(stream)
        const body = bodyOf(stream, release)
        for (const topic of stream.topics) {
          topic.streams.add(stream)
          // The store may have signalled a change after `newest` before this stream was registered.
          readTopic(topic).catch(() => {})
        }
        return body
      } catch (error) {
        release()
        throw error
      }
    },

    /** Ends all streams, so that their clients reconnect to another process, or to this process after its restart. */
    close: closeAll,
  }
}

/** Creates a function that formats records for the streams that have sent all earlier records. */
function shareEvents(kind: Kind, before: number, records: readonly CatchRecord[]): Topic['latest'] {
  const byPosition = new Map<string, { readonly bytes: Uint8Array<ArrayBuffer>; readonly position: Position }>()
  return (stream) => {
    const { sequence } = stream.positions[kind] as Position
    if (sequence <= before || sequence > (records.at(-1)?.sequence ?? 0)) return undefined
    const key = formatEventId(stream.tag, stream.positions)
    const known = byPosition.get(key)
    if (known) {
      stream.positions[kind] = known.position
      return known.bytes
    }
    const { text, position } = catchEvents(records, kind, stream)
    const bytes = encode(text)
    byPosition.set(key, { bytes, position })
    stream.positions[kind] = position
    return bytes
  }
}

/** Runs a function repeatedly, each time the given number of milliseconds after the previous run has ended. */
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

function isOf({ collection }: Topic, { kind, gamemode }: Pick<Change, 'kind' | 'gamemode'>): boolean {
  return collection.kind === kind && collection.gamemode === gamemode
}

function tooSlow(): HttpError {
  return new HttpError('unavailable', { message: 'The client does not read its events.' })
}
