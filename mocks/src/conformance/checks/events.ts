import { EVENT_STREAM } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { check, checksOf } from './check.ts'

type StreamEvent = Readonly<Record<'event' | 'id' | 'data' | 'retry', string | undefined>>

/** Reads the existing events. With `follow=false`, the stream ends after the last event. */
async function readEvents(t: TestContext, user: OwnUser, query = '', lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { [EVENT_STREAM.lastEventId]: lastEventId }
  const response = await t.request(`/events?name=${user.name}&gamemode=earth&follow=false${query}`, { headers })
  expect.status(response, 200)
  expect.same(response.headers.get('content-type')?.split(';')[0], EVENT_STREAM.type, 'content-type', response)
  return { response, events: parseEvents(response) }
}

function parseEvents({ text }: ReceivedResponse): StreamEvent[] {
  const blocks = text.split(/\r?\n\r?\n/).filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => {
    const fields = block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s, 2))
    return Object.fromEntries(fields) as StreamEvent
  })
}

function idOf(event: StreamEvent | undefined, response: ReceivedResponse): string {
  const { id } = event ?? {}
  expect.that(id !== undefined && id !== '', 'an event with an id', 'none', response)
  return id
}

const catchesOf = (events: readonly StreamEvent[]) => events.filter(({ event }) => event === 'catch')
const namesOf = (events: readonly StreamEvent[]) => catchesOf(events).map(({ data = '{}' }) => JSON.parse(data).name)
const fish = (...names: readonly string[]) => ({ fish: names.map((name) => ({ name, rarity: 3 })) })

/** Creates a user, and reads the event id that precedes all of the user's catches. */
async function begin(t: TestContext, query = '') {
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
      const { response, events } = await readEvents(t, user, '', start)
      const [event] = catchesOf(events)
      const expected = { kind: 'fish', gamemode: 'earth', name: 'Koi', rarity: 'Gold', id, entry: 0, caughtAt }
      expect.same(JSON.parse(event?.data ?? 'null'), expected, 'the data of the event', response)
    },
  ),
  check('events-resume', 'Last-Event-ID resumes after any event without gaps or repeated events.', async (t) => {
    const { user, start } = await begin(t)
    await writeAndExpectId(t, 'fish', fish('a', 'b'), { user })
    await writeAndExpectId(t, 'fish', fish('c'), { user })
    const { response, events } = await readEvents(t, user, '', start)
    const catches = catchesOf(events)
    expect.same(namesOf(events), ['a', 'b', 'c'], 'the names of the catches', response)
    for (const [index, rest] of [['b', 'c'], ['c'], []].entries()) {
      const later = await readEvents(t, user, '', idOf(catches[index], response))
      expect.same(namesOf(later.events), rest, `the names after event ${index + 1}`, later.response)
    }
  }),
  check(
    'events-all',
    'Without a gamemode, a stream has the catches of all gamemodes, and resumes all of them.',
    async (t) => {
      const user = await t.newUser()
      const readAll = async (lastEventId?: string) => {
        const headers = lastEventId === undefined ? {} : { [EVENT_STREAM.lastEventId]: lastEventId }
        const response = await t.request(`/events?name=${user.name}&follow=false`, { headers })
        expect.status(response, 200)
        return { response, events: parseEvents(response) }
      }
      const { response, events } = await readAll()
      const start = idOf(
        events.find(({ event }) => event === 'ready'),
        response,
      )
      await writeAndExpectId(t, 'fish', fish('a', 'b'), { user })
      await writeAndExpectId(t, 'fish', fish('c'), { user, gamemode: 'survival' })
      const later = await readAll(start)
      const catches = catchesOf(later.events)
      const gamemodes = catches.map(({ data = '{}' }) => JSON.parse(data).gamemode)
      expect.same(gamemodes.sort(), ['earth', 'earth', 'survival'], 'the gamemodes of the catches', later.response)
      for (const [index, event] of catches.entries()) {
        const rest = await readAll(idOf(event, later.response))
        expect.same(
          namesOf(rest.events).sort(),
          namesOf(catches.slice(index + 1)).sort(),
          `the names after event ${index + 1}`,
          rest.response,
        )
      }
      const headers = { [EVENT_STREAM.lastEventId]: start }
      const one = await t.request(`/events?name=${user.name}&gamemode=earth&follow=false`, { headers })
      expect.error(one, 'invalid_event_id')
    },
  ),
  check('events-kind', 'The query parameter kind omits the events of the other kind.', async (t) => {
    const { user, start } = await begin(t, '&kind=crab')
    await writeAndExpectId(t, 'fish', fish('Cod'), { user })
    await writeAndExpectId(t, 'crab', { crab: [{ name: 'Hermit' }] }, { user })
    const { response, events } = await readEvents(t, user, '&kind=crab', start)
    expect.same(namesOf(events), ['Hermit'], 'the names of the catches', response)
  }),
  check(
    'events-invalid-id',
    'A malformed Last-Event-ID, or one of another stream, gets invalid_event_id.',
    async (t) => {
      const { user, start } = await begin(t)
      const other = await t.newUser()
      for (const [name, lastEventId] of [
        [user.name, 'x'],
        [other.name, start],
      ]) {
        const headers = { [EVENT_STREAM.lastEventId]: lastEventId ?? '' }
        const path = `/events?name=${name}&gamemode=earth&follow=false`
        expect.error(await t.request(path, { headers }), 'invalid_event_id')
      }
    },
  ),
])
