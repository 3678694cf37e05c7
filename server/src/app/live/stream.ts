import type { StoredRecord } from '../../storage/core/types.ts'
import type { Position } from '../core/position.ts'
import { HttpError } from '../http/http-error.ts'
import { formatEventId } from './event-id.ts'
import { type CatchRecord, catchEvents, HEARTBEAT, toCatchRecord } from './event-text.ts'
import type { StreamedCollection, Subscriber, Topic } from './topics.ts'

/** Maximum number of entries that a stream reads in one turn. */
const CATCH_UP_ENTRIES = 500
/**
 * Maximum number of notices that wait for a slow client. Undoing an import can cause many notices, because it removes
 * record by record.
 */
const MAX_NOTICES = 1000
/** Maximum number of unread heartbeats before a stream is closed. */
const MAX_UNREAD_HEARTBEATS = 4

const encoder = new TextEncoder()
const HEARTBEAT_BYTES = encoder.encode(HEARTBEAT)

type Bytes = Uint8Array<ArrayBuffer>
type Resume = (reason: 'change' | 'heartbeat') => void

/** A collection of a stream. */
interface Part {
  /** The name of the collection in event ids. */
  readonly name: string
  readonly topic: Topic
  /** Sequence of the newest record when the stream was opened. */
  readonly target: number
  position: Position
}

interface StreamOptions {
  /** Beginning of the stream's event ids. */
  readonly tag: string
  /** The collections of the stream, with the position from which the stream begins. */
  readonly parts: readonly (Omit<Part, 'topic'> & { readonly collection: StreamedCollection })[]
  /** The first text of the stream, which contains the given event id. */
  readonly opening: (id: string) => string
  /** Whether the stream stays open after all existing events are sent. */
  readonly follow: boolean
  /** The owner of the API key of the client. */
  readonly keyOwner: string | undefined
  readonly signal: AbortSignal
  readonly join: (collection: StreamedCollection, newest: number, subscriber: Subscriber) => Topic
  /** Reads records in a turn of the client. */
  readonly read: (
    collection: StreamedCollection,
    range: { readonly from: number; readonly entries: number },
    take: (records: readonly StoredRecord[]) => boolean,
  ) => Promise<void>
  readonly onClose: (stream: EventStream) => void
}

/**
 * An open event stream: a position in each of its collections. Its body produces events only when the client reads.
 * Catches that were just stored come from the topic, all other catches from the storage.
 */
export class EventStream implements Subscriber {
  readonly body: ReadableStream<Bytes>
  readonly topics: readonly Topic[]
  readonly #options: StreamOptions
  readonly #parts: readonly Part[]
  /** Texts other than catches, which are sent before catches. */
  #notices: string[] = []
  #isEnding = false
  #isOpen = true
  /** Whether the client waits for data. */
  #isPulled = false
  #unreadHeartbeats = 0
  /** Resumes the generator, which waits while it has nothing to send. */
  #resume: Resume = () => {}
  #controller: ReadableStreamDefaultController<Bytes> | undefined

  constructor(options: StreamOptions) {
    this.#options = options
    this.#parts = options.parts.map(({ collection, ...part }) => ({
      ...part,
      topic: options.join(collection, part.target, this),
    }))
    this.topics = this.#parts.map(({ topic }) => topic)
    this.#notices.push(options.opening(this.#id()))
    this.body = this.#createBody()
  }

  get keyOwner(): string | undefined {
    return this.#options.keyOwner
  }

  wake(): void {
    this.#resume('change')
  }

  notify(text: string): void {
    if (this.#isEnding) return
    if (this.#notices.push(text) > MAX_NOTICES) this.close(tooSlow())
    else this.wake()
  }

  end(text: string): void {
    this.notify(text)
    this.#isEnding = true
  }

  /** Sends a heartbeat. Closes the stream if its client reads no heartbeats. */
  beat(): void {
    if (this.#isPulled) this.#resume('heartbeat')
    else this.#unreadHeartbeats += 1
    if (this.#unreadHeartbeats > MAX_UNREAD_HEARTBEATS) this.close(tooSlow())
  }

  close(error?: Error): void {
    if (!this.#leave()) return
    if (error) this.#controller?.error(error)
    else this.#controller?.close()
  }

  /** The event id of the positions, with another position in one collection. */
  #id(changed?: Part, position?: Position): string {
    return formatEventId(
      this.#options.tag,
      this.#parts.map((part) => [part.name, part === changed && position ? position : part.position]),
    )
  }

  #eventsOf(part: Part, records: readonly CatchRecord[]) {
    const { text, position } = catchEvents(records, part.position, (after) => this.#id(part, after))
    return { position, bytes: encoder.encode(text) }
  }

  /** Returns the events of the records that the topic has just read, if the stream has sent all earlier records. */
  #takeLatest(part: Part): Bytes | undefined {
    const { latest } = part.topic
    const { sequence } = part.position
    if (!latest || sequence <= latest.before || sequence > (latest.records.at(-1)?.sequence ?? 0)) return undefined
    const id = this.#id()
    const events = latest.events.get(id) ?? this.#eventsOf(part, latest.records)
    latest.events.set(id, events)
    part.position = events.position
    return events.bytes
  }

  /** Reads the next records from the storage. */
  async #catchUp(part: Part): Promise<Bytes | undefined> {
    const { topic, target } = part
    const { sequence, offset } = part.position
    let bytes: Bytes | undefined
    await this.#options.read(topic.collection, { from: sequence, entries: offset + CATCH_UP_ENTRIES }, (records) => {
      const events = this.#eventsOf(
        part,
        records.map((record) => toCatchRecord(record, topic.collection)),
      )
      part.position = events.position
      bytes = events.bytes
      return bytes.length > 0
    })
    if (bytes?.length) return bytes
    // The records at this position were removed, so move the position behind them.
    const end = Math.max(topic.newest, target)
    if (part.position.sequence <= end) part.position = { sequence: end + 1, offset: 0 }
    return undefined
  }

  async *#events(): AsyncGenerator<Bytes, void> {
    while (this.#isOpen) {
      const part = this.#parts.find(
        ({ position, topic, target }) => position.sequence <= Math.max(topic.newest, target),
      )
      if (this.#notices.length > 0) {
        yield encoder.encode(this.#notices.splice(0).join(''))
      } else if (this.#isEnding) {
        return
      } else if (part) {
        const bytes = this.#takeLatest(part) ?? (await this.#catchUp(part))
        if (bytes) yield bytes
      } else if (!this.#options.follow) {
        return
      } else {
        const reason = await new Promise((resolve: Resume) => {
          this.#resume = resolve
        })
        if (reason === 'heartbeat') yield HEARTBEAT_BYTES
      }
    }
  }

  /** Returns whether the stream was open. */
  #leave(): boolean {
    if (!this.#isOpen) return false
    this.#isOpen = false
    this.#options.signal.removeEventListener('abort', this.#abort)
    this.#options.onClose(this)
    this.wake()
    return true
  }

  readonly #abort = () => this.close(this.#options.signal.reason)

  #createBody(): ReadableStream<Bytes> {
    const events = this.#events()
    this.#options.signal.addEventListener('abort', this.#abort, { once: true })
    return new ReadableStream<Bytes>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: async (controller) => {
          this.#isPulled = true
          this.#unreadHeartbeats = 0
          try {
            const { value } = await events.next()
            this.#isPulled = false
            if (!value) this.close()
            else if (this.#isOpen) controller.enqueue(value)
          } catch (error) {
            this.close(error as Error)
          }
        },
        cancel: () => void this.#leave(),
      },
      { highWaterMark: 0 },
    )
  }
}

function tooSlow(): HttpError {
  return new HttpError('unavailable', { message: 'The client does not read its events.' })
}
