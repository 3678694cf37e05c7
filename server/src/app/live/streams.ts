import { type Gamemode, KINDS, type Kind, STREAM_LIMITS, type User } from '@fish-crab/sdk/contract'
import { StorageError } from '../../storage/core/errors.ts'
import { type FishStorage, REMOVED_VERSION } from '../../storage/core/types.ts'
import type { Gamemodes } from '../catches/gamemodes.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import type { Logger, Metrics } from '../core/host.ts'
import type { Schedule } from '../core/schedule.ts'
import { HttpError } from '../http/http-error.ts'
import type { StoreId } from '../store/store-id.ts'
import { isVisible, type Users } from '../users/users.ts'
import { collectionName, parseEventId, scopeTag } from './event-id.ts'
import { openingText } from './event-text.ts'
import { EventStream } from './stream.ts'
import { createStreamLimits, type StreamClient } from './stream-limits.ts'
import { createTopics, forEachInTurns } from './topics.ts'

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
  readonly users: Pick<Users, 'findById'>
  readonly schedule: Schedule
  readonly readQueue: FairQueue
  readonly metrics: Pick<Metrics, 'observeStreams'> | undefined
  readonly storeId: Pick<StoreId, 'get' | 'check'>
  readonly gamemodes: Pick<Gamemodes, 'names'>
  readonly logger: Logger
  readonly limits: StreamOptions
}

interface StreamRequest extends StreamClient {
  readonly user: User
  /** `undefined` for all gamemodes. */
  readonly gamemode: Gamemode | undefined
  /** `undefined` for both kinds. */
  readonly kind: Kind | undefined
  readonly lastEventId: string | undefined
  /** Whether the stream stays open after all existing events are sent. */
  readonly follow: boolean
  readonly signal: AbortSignal
}

/**
 * Creates the event streams of a service. All events come from the store: a signal only wakes the streams, and a regular
 * check finds changes that the store did not signal. A new record is read and formatted once for all streams whose
 * clients wait for it. Slow clients take no memory: each of their streams reads from the store later, from its own
 * position.
 */
export function createStreams(options: StreamsOptions) {
  const { storage, users, schedule, readQueue, metrics, storeId, gamemodes, logger, limits } = options
  const { total = STREAM_LIMITS.total, perClient = STREAM_LIMITS.perClient } = limits
  const { heartbeatMs = 15_000, checkMs = 5000 } = limits
  const open = new Set<EventStream>()
  const streamLimits = createStreamLimits({ total, perClient, onChange: (count) => metrics?.observeStreams?.(count) })
  const topics = createTopics({
    ...{ storage, schedule, logger },
    async readersOf(owner) {
      const user = await users.findById(owner)
      return (keyOwner) => user !== undefined && isVisible(user, keyOwner)
    },
  })
  /** Stops the signals and the timers, which run only while a stream is open. */
  let stopWatching: (() => void) | undefined

  function closeAll(): void {
    for (const stream of [...open]) stream.close()
  }

  async function check(): Promise<void> {
    try {
      storeId.check()
    } catch (error) {
      // The store was replaced. Clients reconnect, and the server refuses their old event ids.
      if (error instanceof StorageError && error.code === 'replaced') closeAll()
    }
    await topics.check()
  }

  const beat = () => forEachInTurns(open, schedule, (stream) => stream.beat())

  function watch(): () => void {
    const stops = [
      storage.onChange(topics.receive),
      repeat(schedule, heartbeatMs, beat),
      repeat(schedule, checkMs, check),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  async function partsOf({ user, gamemode, kind, lastEventId }: StreamRequest, tag: string) {
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId, tag)
    const names = gamemode === undefined ? gamemodes.names : [gamemode]
    const collections = names.flatMap((one) =>
      (kind === undefined ? KINDS : [kind]).map((each) => ({ owner: user.id, kind: each, gamemode: one })),
    )
    return Promise.all(
      collections.map(async (collection) => {
        const name = await collectionName(collection.kind, collection.gamemode)
        const [newest] = await storage.latest(collection, 1)
        const target = newest?.sequence ?? 0
        const next = { sequence: target + 1, offset: 0 }
        const position = resumed ? (resumed.get(name) ?? { sequence: 0, offset: 0 }) : next
        // The position may be in the future if the id was forged, or if Redis has lost writes.
        return { collection, name, target, position: position.sequence < next.sequence ? position : next }
      }),
    )
  }

  async function openStream(request: StreamRequest, release: () => void): Promise<EventStream> {
    const { user, gamemode, kind, follow, site, signal } = request
    const tag = await scopeTag({ storeId: await storeId.get(), owner: user.id, gamemode, kind })
    const parts = await partsOf(request, tag)
    const [first] = parts
    if (first && (await storage.version(first.collection)) === REMOVED_VERSION) throw new HttpError('user_not_found')
    signal.throwIfAborted()
    return new EventStream({
      ...{ tag, parts, follow, signal, join: topics.join, keyOwner: request.keyOwner },
      opening: (id) => openingText({ user: user.name, gamemode }, id),
      read: (collection, range, take) =>
        readQueue.run({
          ...{ client: site, signal },
          async work() {
            for await (const records of storage.read(collection, range)) if (take(records)) return
          },
        }),
      onClose(stream) {
        open.delete(stream)
        for (const topic of stream.topics) topics.leave(topic, stream)
        release()
        if (open.size > 0) return
        stopWatching?.()
        stopWatching = undefined
      },
    })
  }

  return {
    /** Opens a stream. Throws `invalid_event_id`, `user_not_found` or `too_many_streams`. */
    async open(request: StreamRequest): Promise<EventStream['body']> {
      const release = streamLimits.reserve(request)
      try {
        const stream = await openStream(request, release)
        open.add(stream)
        stopWatching ??= watch()
        // The store may have signalled a change after the newest records were read and before this stream was registered.
        for (const topic of stream.topics) void topics.read(topic)
        // The same is true of the visibility of the user.
        void topics.endInvisible(request.user.id, [stream])
        return stream.body
      } catch (error) {
        release()
        throw error
      }
    },

    /** Ends all streams, so that their clients reconnect to another process, or to this process after its restart. */
    close: closeAll,
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
