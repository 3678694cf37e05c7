import { EVENT_STREAM } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const EARTH = '&gamemode=earth'
const CRABS_OF_EARTH = `${EARTH}&kind=crab`

type StreamEvent = Readonly<Record<'event' | 'id' | 'data' | 'retry', string | undefined>>

/** Requests the existing events. With `follow=false`, the stream ends after the last event. */
async function requestEvents(t: TestContext, { name }: OwnUser, query = EARTH, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { [EVENT_STREAM.lastEventId]: lastEventId }
  return t.request(`/events?name=${name}&follow=false${query}`, { headers })
}

async function readEvents(...request: Parameters<typeof requestEvents>) {
  const response = await requestEvents(...request)
  expect.status(response, 200)
  expect.type(response, EVENT_STREAM.type)
  return { response, events: parseEvents(response) }
}

function parseEvents({ text }: expect.ReceivedResponse): StreamEvent[] {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => {
    const fields = block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s, 2))
    return Object.fromEntries(fields) as StreamEvent
  })
}

function idOf(event: StreamEvent | undefined, response: expect.ReceivedResponse): string {
  const { id } = event ?? {}
  expect.that(id !== undefined && id !== '', 'an event with an id', 'none', response)
  return id
}

const catchesOf = (events: readonly StreamEvent[]) => events.filter(({ event }) => event === 'catch')
const namesOf = (events: readonly StreamEvent[]) => catchesOf(events).map(({ data = '{}' }) => JSON.parse(data).name)
const fish = (...names: readonly string[]) => ({ fish: names.map((name) => ({ name, rarity: 3 })) })

/** Creates a user, and reads the event id that precedes all of the user's catches. */
async function begin(t: TestContext, query?: string) {
  const user = await t.newUser()
  const { response, events } = await readEvents(t, user, query)
  const ready = events.find(({ event }) => event === 'ready')
  return { user, response, events, start: idOf(ready, response) }
}

export const eventsChecks = checksOf('events', [
  check(
    'events-begin',
    'A stream begins with a retry line and the event "ready", and omits older catches.',
    async (t) => {
      const { user, response, events } = await begin(t)
      const retry = events.find((event) => event.retry !== undefined)?.retry
      expect.that(/^\d+$/.test(retry ?? ''), 'a line "retry" with milliseconds', retry, response)
      await writeAndExpectId(t, 'fish', fish('Cod'), { user })
      const later = await readEvents(t, user)
      expect.same(namesOf(later.events), [], 'the names of the catches', later.response)
    },
  ),
  check(
    'events-catch',
    'An event contains the entry as detail=full returns it, its kind and its gamemode.',
    async (t) => {
      const { user, start } = await begin(t)
      const caughtAt = '2025-01-02T03:04:05.000Z'
      const id = await writeAndExpectId(t, 'fish', { fish: [{ name: 'Koi', rarity: 3, caughtAt }] }, { user })
      const { response, events } = await readEvents(t, user, EARTH, start)
      const [event] = catchesOf(events)
      const expected = { kind: 'fish', gamemode: 'earth', name: 'Koi', rarity: 'Gold', id, entry: 0, caughtAt }
      expect.same(JSON.parse(event?.data ?? 'null'), expected, 'the data of the event', response)
    },
  ),
  check('events-resume', 'Last-Event-ID resumes after any event without gaps or repeated events.', async (t) => {
    const { user, start } = await begin(t)
    await writeAndExpectId(t, 'fish', fish('a', 'b'), { user })
    await writeAndExpectId(t, 'fish', fish('c'), { user })
    const { response, events } = await readEvents(t, user, EARTH, start)
    const catches = catchesOf(events)
    expect.same(namesOf(events), ['a', 'b', 'c'], 'the names of the catches', response)
    for (const [index, rest] of [['b', 'c'], ['c'], []].entries()) {
      const later = await readEvents(t, user, EARTH, idOf(catches[index], response))
      expect.same(namesOf(later.events), rest, `the names after event ${index + 1}`, later.response)
    }
  }),
  check(
    'events-all',
    'Without a gamemode, a stream has the catches of all gamemodes, and resumes all of them.',
    async (t) => {
      const { user, start } = await begin(t, '')
      const readAll = (lastEventId: string) => readEvents(t, user, '', lastEventId)
      await writeAndExpectId(t, 'fish', fish('a', 'b'), { user })
      await writeAndExpectId(t, 'fish', fish('c'), { user, gamemode: 'survival' })
      const later = await readAll(start)
      const catches = catchesOf(later.events)
      const gamemodes = catches.map(({ data = '{}' }) => JSON.parse(data).gamemode)
      expect.same(gamemodes.sort(), ['earth', 'earth', 'survival'], 'the gamemodes of the catches', later.response)
      for (const [index, event] of catches.entries()) {
        const rest = await readAll(idOf(event, later.response))
        const names = namesOf(catches.slice(index + 1)).sort()
        expect.same(namesOf(rest.events).sort(), names, `the names after event ${index + 1}`, rest.response)
      }
      expect.error(await requestEvents(t, user, EARTH, start), 'invalid_event_id')
    },
  ),
  check('events-kind', 'The query parameter kind omits the events of the other kind.', async (t) => {
    const { user, start } = await begin(t, CRABS_OF_EARTH)
    await writeAndExpectId(t, 'fish', fish('Cod'), { user })
    await writeAndExpectId(t, 'crab', { crab: [{ name: 'Hermit' }] }, { user })
    const { response, events } = await readEvents(t, user, CRABS_OF_EARTH, start)
    expect.same(namesOf(events), ['Hermit'], 'the names of the catches', response)
  }),
  check(
    'events-invalid-id',
    'A malformed Last-Event-ID, or one of another stream, gets invalid_event_id.',
    async (t) => {
      const { user, start } = await begin(t)
      expect.error(await requestEvents(t, user, EARTH, 'x'), 'invalid_event_id')
      expect.error(await requestEvents(t, await t.newUser(), EARTH, start), 'invalid_event_id')
    },
  ),
])
