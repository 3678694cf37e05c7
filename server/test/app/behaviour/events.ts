import type { Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { namesOf, openEvents, readEvents, requestEvents, type StreamEvent } from '../event-stream.ts'
import { from, type OpenService, UNLIMITED } from '../test-service.ts'

const fish = (...names: readonly string[]) => ({ fish: names.map((name) => ({ name, rarity: 1 })) })

/** Tests event streams. */
export function eventsBehaviour(open: OpenService): void {
  describe('an event stream', () => {
    it('begins with the data that a client needs to reconnect, and is not buffered', async () => {
      const service = await open()
      await write(service, 'fish', fish('before'))
      const stream = await openEvents(service)
      expect(Object.fromEntries(stream.response.headers)).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
      })
      expect(await stream.next()).toEqual({ event: 'retry', retry: '5000' })
      const { id, ...ready } = await stream.ready()
      expect(ready).toEqual({ event: 'ready', data: { user: 'Alex', gamemode: 'earth' } })
      expect(id).toMatch(/^[0-9a-z.-]+$/)
    })

    it('resumes with 1,200 entries that were stored while it was closed', async () => {
      const service = await open(UNLIMITED)
      const stream = await openEvents(service, { query: '&kind=fish' })
      const { id } = await stream.ready()
      await stream.close()
      const names = Array.from({ length: 1200 }, (_, at) => `fish ${at}`)
      for (let at = 0; at < names.length; at += 300) {
        const entries = names.slice(at, at + 300).map((name) => ({ name, rarity: 2 }))
        await write(service, 'fish', { fish: entries })
      }
      const resumed = await openEvents(service, { query: '&kind=fish', lastEventId: id })
      expect(namesOf(await resumed.catches(1200))).toEqual(names)
    })

    it('with follow=false ends after the existing catches, and can be resumed', async () => {
      const service = await open(UNLIMITED)
      const [retry, ready, ...none] = await (await openEvents(service, { query: '&follow=false' })).rest()
      expect([retry?.event, ready?.event, none]).toEqual(['retry', 'ready', []])
      await write(service, 'fish', fish('a'))
      await write(service, 'crab', { fish: 'b' })
      const some = await openEvents(service, { query: '&follow=false', lastEventId: ready?.id })
      const events = (await some.rest()).slice(2)
      expect(namesOf(events).sort()).toEqual(['a', 'b'])
      const rest = await openEvents(service, { query: '&follow=false', lastEventId: events[1]?.id })
      expect((await rest.rest()).map(({ event }) => event)).toEqual(['retry', 'ready'])
    })

    it('reports that a record was removed', async () => {
      const service = await open(UNLIMITED)
      const { id } = await (await write(service, 'crab', { fish: 'crab' })).json()
      const [both, fishes] = [await openEvents(service), await openEvents(service, { query: '&kind=fish' })]
      await both.ready()
      const admin = await asRoot(service)
      await admin('DELETE', `/admin/users/Alex/crab/${id}?gamemode=earth`)
      expect(await both.next()).toEqual({ event: 'removed', data: { kind: 'crab', gamemode: 'earth', id } })
      await write(service, 'fish', fish('next'))
      expect(namesOf(await fishes.catches(1))).toEqual(['next'])
    })

    it('without a gamemode, delivers the catches of all gamemodes with their gamemode, and resumes all of them', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'fish', fish('before'))
      const openAll = async (lastEventId?: string) => {
        const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
        return readEvents(await service.request('/events?name=Alex', { headers }))
      }
      const stream = await openAll()
      const ready = await stream.ready()
      expect(ready.data).toEqual({ user: 'Alex' })
      await write(service, 'fish', fish('a', 'b'), { gamemode: 'survival' })
      await write(service, 'crab', { crab: [{ name: 'c' }] }, { gamemode: 'earth' })
      await write(service, 'fish', fish('d'), { gamemode: 'earth' })
      const caught = await stream.catches(4)
      const placeOf = ({ data }: StreamEvent) => {
        const { name, kind, gamemode } = data as Record<string, string>
        return `${gamemode} ${kind} ${name}`
      }
      const places = ['survival fish a', 'survival fish b', 'earth crab c', 'earth fish d']
      expect(caught.map(placeOf).sort()).toEqual(places.toSorted())
      for (const [index, { id }] of caught.entries()) {
        const rest = caught.slice(index + 1).map(placeOf)
        expect((await (await openAll(id)).catches(rest.length)).map(placeOf).sort()).toEqual(rest.sort())
      }
      expect((await (await openAll(ready.id)).catches(4)).map(placeOf).sort()).toEqual(places.toSorted())
    })

    it('resumes inside a record of 500 entries, of which an earlier entry was removed, with each other catch once', async () => {
      const service = await open(UNLIMITED)
      const stream = await openEvents(service, { query: '&kind=fish' })
      await stream.ready()
      const names = Array.from({ length: 500 }, (_, index) => `Fish ${index}`)
      const { id } = (await (await write(service, 'fish', fish(...names))).json()) as Saved
      const seen = await stream.catches(200)
      await stream.close()
      const removed = [17, 199, 200, 350]
      const admin = await asRoot(service)
      for (const entry of removed) {
        const { status } = await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth&entry=${entry}`)
        expect(status).toBe(204)
      }
      const resumed = await openEvents(service, { query: '&kind=fish&follow=false', lastEventId: seen.at(-1)?.id })
      const rest = (await resumed.rest()).filter(({ event }) => event === 'catch')
      expect([...namesOf(seen), ...namesOf(rest)]).toEqual(
        names.filter((_, index) => index < 200 || !removed.includes(index)),
      )
    })

    it('reports that an entry was removed, with its index', async () => {
      const service = await open(UNLIMITED)
      const { id } = (await (await write(service, 'fish', fish('a', 'b'))).json()) as Saved
      const stream = await openEvents(service)
      await stream.ready()
      const admin = await asRoot(service)
      await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth&entry=1`)
      expect(await stream.next()).toEqual({ event: 'removed', data: { kind: 'fish', gamemode: 'earth', id, entry: 1 } })
    })

    it('reports the deletion of its user and ends, and its event ids cannot resume the stream of a new user', async () => {
      const service = await open(UNLIMITED)
      const stream = await openEvents(service)
      await write(service, 'fish', fish('a'))
      const [last] = await stream.catches(1)
      const admin = await asRoot(service)
      await admin('DELETE', '/admin/users/Alex')
      expect(await stream.rest()).toEqual([{ event: 'deleted', data: {} }])
      await expectError(await requestEvents(service, { lastEventId: last?.id }), 'user_not_found')
      await admin('POST', '/admin/users', { name: 'Alex' })
      await expectError(await requestEvents(service, { lastEventId: last?.id }), 'invalid_event_id')
    })

    it('cannot be resumed with an event id from a stream of a different kind or gamemode, or with a tampered event id', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'fish', SALMON)
      const { id = '' } = await (await openEvents(service)).ready()
      const [tag = '', position = ''] = id.split('-')
      const tampered = [`${tag}0`, `${tag}0-${position}`, `${id}-${position}`, `${id}-1.0`, `${id}.0`, `${id}.zz`]
      for (const lastEventId of [...tampered, `${id}0.`, id.replace('.', '..'), `${id}-`]) {
        await expectError(await requestEvents(service, { lastEventId }), 'invalid_event_id')
      }
      await expectError(await requestEvents(service, { query: '&kind=fish', lastEventId: id }), 'invalid_event_id')
      const elsewhere = { headers: { 'last-event-id': id } }
      await expectError(await service.request('/events?name=Alex&gamemode=sky', elsewhere), 'invalid_gamemode')
      await expectError(await service.request('/events?name=Alex&gamemode=survival', elsewhere), 'invalid_event_id')
      await expectError(await service.request('/events?name=Alex', elsewhere), 'invalid_event_id')
      const all = await readEvents(await service.request('/events?name=Alex')).ready()
      await expectError(await requestEvents(service, { lastEventId: all.id }), 'invalid_event_id')
      await (await openEvents(service, { lastEventId: '' })).ready()
    })

    it('counts as one request', async () => {
      const service = await open()
      const { response, ready } = await openEvents(service)
      expect(response.headers.get('x-ratelimit-remaining')).toBe('24')
      await ready()
      await write(service, 'fish', SALMON)
      expect((await service.request('/status')).headers.get('x-ratelimit-remaining')).toBe('22')
    })

    it('is not opened by a HEAD request', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 12; count += 1) {
        const response = await service.request('/events?name=Alex&gamemode=earth', { method: 'HEAD' })
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      }
      await (await openEvents(service)).ready()
    })

    it('is refused if the client already has ten open streams', async () => {
      const service = await open(UNLIMITED)
      const streams = await Promise.all(Array.from({ length: 10 }, () => openEvents(service)))
      const refused = await requestEvents(service)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await expectError(refused, 'too_many_streams')
      const other = from('198.51.100.7') as { headers: Record<string, string> }
      await (await openEvents(service, other)).ready()
      await streams[0]?.close()
      await expect.poll(async () => (await requestEvents(service)).status).toBe(200)
    })
  })
}
