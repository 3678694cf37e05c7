import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { write } from './catches.ts'
import { namesOf, openEvents, type readEvents } from './event-stream.ts'
import { createSlowReads, LARGE_NAMES, STREAMS, turn, WAIT_MS } from './slow-reads.ts'
import { ADDRESS_HEADER } from './test-service.ts'

const COLLECTION = '/get/fish?name=Alex&gamemode=earth'
const EVENTS = '/events?name=Alex&gamemode=earth'
const HEARTBEAT_MS = 15_000
const UNREAD_HEARTBEATS = 4
/** The number of repetitions, which exceeds the number of br streams that one client may have. */
const ROUNDS = 5
const CLIENTS = ['192.0.2.1', '192.0.2.2', '192.0.2.3']

const step = fc.record({
  operation: fc.constantFrom(
    ...(['open', 'open', 'resume', 'open and leave', 'write', 'write', 'read events', 'read events', 'leave'] as const),
    ...(['heartbeat', 'whole', 'whole', 'whole and leave', 'crowd', 'crowd', 'head', 'page', 'summary'] as const),
  ),
  client: fc.constantFrom(...CLIENTS),
  coding: fc.constantFrom('identity', 'gzip', 'br', 'br'),
  pick: fc.nat(),
  chunks: fc.integer({ min: 0, max: 3 }),
  byAbort: fc.boolean(),
  /** The turns of the event loop before each request of a crowd is aborted. */
  turns: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface OpenStream {
  readonly client: string
  readonly events: ReturnType<typeof readEvents>
  readonly abort: AbortController
  /** The number of catch names that the client has received. */
  seen: number
  unread: number
}

class Play {
  private readonly names = [...LARGE_NAMES]
  private streams: OpenStream[] = []
  /** The ids of events, each with the number of catch names before the event. */
  private readonly ids: { id: string; seen: number }[] = []
  private readonly slow: Awaited<ReturnType<typeof createSlowReads>>

  constructor(slow: Awaited<ReturnType<typeof createSlowReads>>) {
    this.slow = slow
  }

  private request(client: string, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    return this.slow.service.request(path, { ...init, headers: { ...headers, [ADDRESS_HEADER]: client } })
  }

  private async openStream({ client, operation, pick }: Step): Promise<void> {
    const from = operation === 'resume' ? this.ids[pick % Math.max(1, this.ids.length)] : undefined
    const own = this.streams.filter((one) => one.client === client).length
    const hasRoom = own < STREAMS.perClient && this.streams.length < STREAMS.total
    const abort = new AbortController()
    const service = {
      ...this.slow.service,
      request: (path: string, init?: RequestInit) => this.request(client, path, { ...init, signal: abort.signal }),
    }
    if (!hasRoom) return expect((await this.request(client, EVENTS)).status).toBe(503)
    const events = await openEvents(service, { lastEventId: from?.id })
    const id = String((await this.slow.alone(events.ready())).id)
    const seen = from?.seen ?? this.names.length
    this.ids.push({ id, seen })
    this.streams.push({ client, events, abort, seen, unread: 0 })
  }

  private async readEvents(stream: OpenStream): Promise<void> {
    const missed = this.names.slice(stream.seen)
    if (missed.length === 0) return
    const events = await this.slow.alone(stream.events.catches(missed.length))
    expect(namesOf(events)).toEqual(missed)
    Object.assign(stream, { seen: this.names.length, unread: 0 })
    const id = events.at(-1)?.id
    if (id) this.ids.push({ id, seen: this.names.length })
  }

  private async leave(stream: OpenStream, byAbort: boolean): Promise<void> {
    if (byAbort) stream.abort.abort(new Error('left'))
    await stream.events.close()
    this.streams = this.streams.filter((one) => one !== stream)
  }

  /** Lets clients disconnect at any time, concurrently or one after the other. Repetition reveals leaks. */
  private async leaveEarly({ client, coding, turns, pick, byAbort, operation }: Step): Promise<void> {
    const paths = operation === 'crowd' ? [COLLECTION, COLLECTION, `${COLLECTION}&summary=species`, EVENTS] : [EVENTS]
    const leave = async (count: number, at: number) => {
      const abort = new AbortController()
      const init = { signal: abort.signal, headers: { 'accept-encoding': coding } }
      const sending = this.request(client, paths[(pick + at) % paths.length] as string, init)
      for (let passed = 0; passed < count; passed += 1) await turn()
      abort.abort(new Error('left'))
      const response = await sending
      await response.body?.cancel().catch(() => {})
      expect([200, 499, 503]).toContain(response.status)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      if (byAbort) await Promise.all(turns.map(leave))
      else for (const [at, count] of turns.entries()) await leave(count, at)
    }
  }

  private async whole(client: string, coding: string): Promise<void> {
    const response = await this.slow.alone(this.request(client, COLLECTION, { headers: { 'accept-encoding': coding } }))
    const used = response.headers.get('content-encoding')
    expect([response.status, response.headers.get('retry-after'), used]).toEqual([
      200,
      null,
      coding === 'identity' ? null : coding,
    ])
    const bytes = Buffer.from(await this.slow.alone(response.arrayBuffer()))
    const decode = { gzip: gunzipSync, br: brotliDecompressSync }[used ?? ''] ?? ((body: Buffer) => body)
    this.compareNames(JSON.parse(decode(bytes).toString()).fish)
  }

  private compareNames(fish: readonly { readonly name: string }[]): void {
    // A length check comes first, since printing a difference of thousands of names would take minutes.
    expect(fish.length).toBe(this.names.length)
    expect(fish.findIndex(({ name }, at) => name !== this.names[at])).toBe(-1)
  }

  private async wholeAndLeave({ client, coding, chunks, byAbort }: Step): Promise<void> {
    const abort = new AbortController()
    const headers = { 'accept-encoding': coding }
    const response = await this.slow.alone(this.request(client, COLLECTION, { headers, signal: abort.signal }))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (let count = 0; count < chunks; count += 1) await this.slow.alone(reader.read())
    if (byAbort) abort.abort(new Error('left'))
    await reader.cancel().catch(() => {})
  }

  private async readPart({ client, operation }: Step): Promise<void> {
    const query = operation === 'page' ? '&limit=3' : '&summary=species'
    const response = await this.slow.alone(this.request(client, COLLECTION + query))
    const body = (await response.json()) as { fish: { name: string }[]; species: { count: number }[] }
    if (operation === 'page') expect(body.fish.map(({ name }) => name)).toEqual(this.names.slice(0, 3))
    else expect(body.species.reduce((sum, { count }) => sum + count, 0)).toBe(this.names.length)
  }

  async take(step: Step): Promise<void> {
    const { operation, client, coding, pick, byAbort } = step
    const stream = this.streams[pick % Math.max(1, this.streams.length)]
    if (operation === 'open' || operation === 'resume') await this.openStream(step)
    else if (operation === 'write') await this.write()
    else if (operation === 'read events') stream && (await this.readEvents(stream))
    else if (operation === 'leave') stream && (await this.leave(stream, byAbort))
    else if (operation === 'heartbeat') await this.beat()
    else if (operation === 'whole') await this.whole(client, coding)
    else if (operation === 'whole and leave') await this.wholeAndLeave(step)
    else if (operation === 'head') {
      for (const path of Array.from({ length: ROUNDS }, () => [COLLECTION, EVENTS]).flat()) {
        const headers = { 'accept-encoding': coding }
        await this.slow.alone(this.request(client, path, { method: 'HEAD', headers }))
      }
    } else if (operation === 'page' || operation === 'summary') await this.readPart(step)
    else await this.leaveEarly(step)
    for (let turns = 0; turns < 4; turns += 1) await turn()
    expect([operation, this.slow.open.count]).toEqual([operation, this.streams.length])
    expect(this.slow.timers.intervals.includes(WAIT_MS)).toBe(false)
    if (this.streams.length === 0) expect(this.slow.timers.intervals).toEqual([])
  }

  private async write(): Promise<void> {
    const name = `Fish ${this.names.length}`
    expect((await write(this.slow.service, 'fish', { fish: name, rarity: 1 })).status).toBe(201)
    this.names.push(name)
  }

  private async beat(): Promise<void> {
    this.slow.timers.run(HEARTBEAT_MS)
    for (const stream of this.streams) stream.unread += 1
    this.streams = this.streams.filter(({ unread }) => unread <= UNREAD_HEARTBEATS)
  }

  async finish(): Promise<void> {
    for (const stream of this.streams) await this.readEvents(stream)
    for (const stream of this.streams) await this.leave(stream, false)
    for (const client of CLIENTS) {
      // Without this write, the response would come from the cache.
      await this.write()
      await this.whole(client, 'br')
      const opened = [await openEvents(this.slow.service), await openEvents(this.slow.service)]
      for (const events of opened) await events.close()
    }
  }
}

test('after clients disconnect during requests, later streams open, and later reads start immediately and match the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
      const play = new Play(await createSlowReads())
      for (const each of steps) await play.take(each)
      await play.finish()
    }),
    // The run fails if a sequence hangs or shrinking takes long. Even a busy machine needs only a fifth of this time.
    { numRuns: 12, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  )
}, 120_000)
