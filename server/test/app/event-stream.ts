import { EVENT_STREAM } from '@fish-crab/sdk/contract'
import { expect, onTestFinished } from 'vitest'
import type { TestService } from './test-service.ts'

/** A received event. A comment is an event named `comment`. */
export interface StreamEvent {
  readonly event: string
  readonly id?: string
  readonly data?: unknown
  readonly retry?: string
}

/** The options of a client that connects. */
interface ConnectOptions {
  readonly query?: string
  readonly lastEventId?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests the events of Alex in the gamemode `earth`. */
export function requestEvents(
  service: TestService,
  { query = '', lastEventId, headers }: ConnectOptions = {},
): Promise<Response> {
  const resumed = lastEventId === undefined ? {} : { [EVENT_STREAM.lastEventId]: lastEventId }
  return service.request(`/events?name=Alex&gamemode=earth${query}`, { headers: { ...headers, ...resumed } })
}

/** Opens an event stream, which closes when the test ends. */
export async function openEvents(service: TestService, options: ConnectOptions = {}) {
  const response = await requestEvents(service, options)
  expect(response.status).toBe(200)
  return readEvents(response)
}

/** Reads the events of a response. */
export function readEvents(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const pending: StreamEvent[] = []
  let text = ''
  const close = () => reader.cancel().catch(() => {})
  onTestFinished(close)

  /** Returns the next event that is not a comment, or `undefined` at the end of the stream. */
  async function next(isWanted: (event: StreamEvent) => boolean = ({ event }) => event !== 'comment') {
    for (;;) {
      const event = pending.shift()
      if (event && isWanted(event)) return event
      if (event) continue
      const chunk = await reader.read()
      if (chunk.done) return undefined
      text += decoder.decode(chunk.value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      pending.push(...blocks.map(parseBlock))
    }
  }

  return {
    response,
    close,
    next,
    /** Reads this number of catches and removals. */
    async catches(count: number): Promise<StreamEvent[]> {
      const events: StreamEvent[] = []
      while (events.length < count) {
        const event = await next(({ event: name }) => name !== 'comment' && name !== 'ready' && name !== 'retry')
        if (!event) throw new Error(`The stream ended after ${events.length} of ${count} catches.`)
        events.push(event)
      }
      return events
    },
    comment: () => next(({ event }) => event === 'comment'),
    ready: () => next(({ event }) => event === 'ready') as Promise<StreamEvent>,
    /** Reads all events until the stream ends. */
    async rest(): Promise<StreamEvent[]> {
      const events: StreamEvent[] = []
      for (let event = await next(); event; event = await next()) events.push(event)
      return events
    },
  }
}

function parseBlock(block: string): StreamEvent {
  if (block.startsWith(':')) return { event: 'comment' }
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
  const { event = 'retry', data, ...others } = fields
  return { event, ...others, ...(data === undefined ? {} : { data: JSON.parse(data) }) }
}

/** The catch names in events. */
export function namesOf(events: readonly StreamEvent[]): unknown[] {
  return events.map(({ data }) => (data as { name?: string }).name)
}
