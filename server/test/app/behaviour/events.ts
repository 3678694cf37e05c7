import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { namesOf, openEvents, requestEvents } from '../event-stream.ts'
import { from, type OpenService, UNLIMITED } from '../test-service.ts'

const fish = (name: string) => ({ fish: name, rarity: 1 })

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
      expect(await both.next()).toEqual({ event: 'removed', data: { kind: 'crab', id } })
      await write(service, 'fish', fish('next'))
      expect(namesOf(await fishes.catches(1))).toEqual(['next'])
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
      const { id = '' } = await (await openEvents(service)).ready()
      for (const lastEventId of [`${id}-1.0`, `${id}0`, id.replace('.0', '.00'), id.replace('.0', '.zz')]) {
        await expectError(await requestEvents(service, { lastEventId }), 'invalid_event_id')
      }
      await expectError(await requestEvents(service, { query: '&kind=fish', lastEventId: id }), 'invalid_event_id')
      const elsewhere = { headers: { 'last-event-id': id } }
      await expectError(await service.request('/events?name=Alex&gamemode=sky', elsewhere), 'invalid_gamemode')
      await expectError(await service.request('/events?name=Alex&gamemode=survival', elsewhere), 'invalid_event_id')
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
