import type { Gamemode, Kind } from '@fish-crab/sdk/contract'
import { type Change, type FishStorage, REMOVED_VERSION } from '../../storage/core/types.ts'
import type { Logger } from '../core/host.ts'
import type { Position } from '../core/position.ts'
import type { Schedule } from '../core/schedule.ts'
import { type CatchRecord, eventText, toCatchRecord } from './event-text.ts'

/** A collection whose catches have event streams. */
export interface StreamedCollection {
  readonly owner: string
  readonly kind: Kind
  readonly gamemode: Gamemode
}

/** The records that a topic has just read, with the bytes of their events by the event id before them. */
interface LatestRecords {
  /** Sequence of the newest record before these records. */
  readonly before: number
  readonly records: readonly CatchRecord[]
  readonly events: Map<string, { readonly bytes: Uint8Array<ArrayBuffer>; readonly position: Position }>
}

/** A stream that a topic informs. */
export interface Subscriber {
  /** The owner of the API key of the client. */
  readonly keyOwner: string | undefined
  /** The topic has new records. */
  wake(): void
  /** Sends an event other than a catch. */
  notify(text: string): void
  /** Sends the last event of the stream. */
  end(text: string): void
}

/** A collection with open streams. */
export interface Topic {
  readonly collection: StreamedCollection
  readonly subscribers: Set<Subscriber>
  /** Sequence of the newest record that was read. */
  newest: number
  /** Present while streams are woken for these records. */
  latest: LatestRecords | undefined
  version: string | undefined
  /** `once`: the topic is being read. `again`: the topic has to be read again after the current read. */
  reading: 'no' | 'once' | 'again'
}

/** Number of subscribers or topics that are handled in one turn of the event loop, which takes about a millisecond. */
const AT_ONCE = 50

/** Number of owners whose visibility is checked concurrently. */
const OWNERS_AT_ONCE = 32

export async function forEachInTurns<Item>(
  items: Iterable<Item>,
  schedule: Schedule,
  run: (item: Item) => Promise<void> | void,
): Promise<void> {
  for (const [index, item] of [...items].entries()) {
    if (index > 0 && index % AT_ONCE === 0) await new Promise<void>((resolve) => void schedule(0, resolve))
    const running = run(item)
    if (running) await running
  }
}

interface TopicsOptions {
  readonly storage: Pick<FishStorage, 'version' | 'read'>
  /** Returns whether the owner of an API key, or a client without a key, may read the collections of an owner. */
  readonly readersOf: (owner: string) => Promise<(keyOwner: string | undefined) => boolean>
  readonly schedule: Schedule
  readonly logger: Logger
}

/**
 * Reads the new records of collections, once for all streams of a collection. A signal of the storage or a regular check
 * causes a read; the records come from the storage alone.
 */
export function createTopics({ storage, readersOf, schedule, logger }: TopicsOptions) {
  const topics = new Map<string, Topic[]>()
  /** The causes of failures that were logged since the last successful read. */
  const logged = new Set<string>()

  async function readChanges(topic: Topic): Promise<void> {
    const { collection, subscribers } = topic
    // Read the version first, so that the records may be newer than the version, but never older.
    const version = await storage.version(collection)
    if (version === topic.version) return
    if (version === REMOVED_VERSION) {
      await forEachInTurns(subscribers, schedule, (one) => one.end(eventText('deleted', '{}')))
      return
    }
    for await (const chunk of storage.read(collection, { from: topic.newest + 1 })) {
      const records = chunk.map((record) => toCatchRecord(record, collection))
      topic.latest = { before: topic.newest, records, events: new Map() }
      topic.newest = records.at(-1)?.sequence ?? topic.newest
      await forEachInTurns(subscribers, schedule, (one) => one.wake())
      // Let the streams continue in microtasks before the next chunk replaces `latest`.
      await Promise.resolve()
    }
    topic.version = version
  }

  function subscribersOf(owner: string): readonly Subscriber[] {
    return (topics.get(owner) ?? []).flatMap(({ subscribers }) => [...subscribers])
  }

  /** Ends the streams of an owner whose clients may no longer read. If the storage fails, the next check tries again. */
  async function endInvisible(owner: string, subscribers = subscribersOf(owner)): Promise<void> {
    try {
      const mayRead = await readersOf(owner)
      await forEachInTurns(subscribers, schedule, (one) => {
        if (!mayRead(one.keyOwner)) one.end(eventText('deleted', '{}'))
      })
    } catch (error) {
      logOnce({ owner }, error as Error)
    }
  }

  /** Reads the new records of a collection. If the storage fails, the next check tries again. */
  async function read(topic: Topic): Promise<void> {
    if (topic.reading !== 'no') {
      topic.reading = 'again'
      return
    }
    try {
      do {
        topic.reading = 'once'
        await readChanges(topic)
      } while ((topic.reading as Topic['reading']) === 'again' && topic.subscribers.size > 0)
      logged.clear()
    } catch (error) {
      logOnce(topic.collection, error as Error)
    } finally {
      topic.reading = 'no'
      topic.latest = undefined
    }
  }

  function logOnce(collection: Partial<StreamedCollection>, err: Error): void {
    if (logged.has(err.message)) return
    logged.add(err.message)
    logger.warn({ ...collection, err }, 'event streams cannot read new catches, and try again')
  }

  return {
    join(collection: StreamedCollection, newest: number, subscriber: Subscriber): Topic {
      const ofOwner = topics.get(collection.owner) ?? []
      const known = ofOwner.find((topic) => isOf(topic, collection))
      const topic: Topic = known ?? {
        ...{ collection, newest, subscribers: new Set() },
        ...{ latest: undefined, version: undefined, reading: 'no' },
      }
      if (!known) topics.set(collection.owner, [...ofOwner, topic])
      topic.subscribers.add(subscriber)
      return topic
    },

    leave(topic: Topic, subscriber: Subscriber): void {
      topic.subscribers.delete(subscriber)
      if (topic.subscribers.size > 0) return
      const { owner } = topic.collection
      const others = topics.get(owner)?.filter((one) => one !== topic) ?? []
      if (others.length > 0) topics.set(owner, others)
      else topics.delete(owner)
    },

    read,
    endInvisible,

    receive(change?: Change): void {
      if (change && change.kind === undefined) void endInvisible(change.owner)
      const changed = change ? (topics.get(change.owner) ?? []) : [...topics.values()].flat()
      for (const topic of changed) {
        if (change?.kind !== undefined && !isOf(topic, change)) continue
        if (change?.removed !== undefined) {
          const { removed: id, entry } = change
          const { kind, gamemode } = topic.collection
          const text = eventText('removed', JSON.stringify({ kind, gamemode, id, entry }))
          void forEachInTurns(topic.subscribers, schedule, (one) => one.notify(text))
        }
        void read(topic)
      }
    },

    /** Reads the topics one after the other, so that the check does not compete with requests. */
    async check(): Promise<void> {
      await forEachInTurns([...topics.values()].flat(), schedule, read)
      const owners = [...topics.keys()]
      for (let at = 0; at < owners.length; at += OWNERS_AT_ONCE) {
        await Promise.all(owners.slice(at, at + OWNERS_AT_ONCE).map((owner) => endInvisible(owner)))
      }
    },
  }
}

function isOf({ collection }: Topic, { kind, gamemode }: Pick<Change, 'kind' | 'gamemode'>): boolean {
  return collection.kind === kind && collection.gamemode === gamemode
}
