import { gunzipSync } from 'node:zlib'
import type { Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot } from '../administration.ts'
import type { Listed } from '../catches.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const FISH = '/admin/users/Alex/fish'
/** Every shape in which a collection is read. */
const SHAPES = ['', '&detail=full', '&limit=1000', '&limit=1000&detail=full', '&limit=2']

interface Seen {
  readonly etag: string
  readonly names: string[]
}

async function look(service: TestService, shape: string, coding: string): Promise<Seen> {
  const path = `/get/fish?name=Alex&gamemode=earth${shape}`
  const response = await service.request(path, { headers: { 'accept-encoding': coding } })
  expect([path, response.status]).toEqual([path, 200])
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = response.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString()
  const { fish } = JSON.parse(text) as { fish: Listed[] }
  return { etag: String(response.headers.get('etag')), names: fish.map(({ name }) => name) }
}

/** Looks in every shape and coding, twice: what the first look left in a cache must not be older than the second. */
async function expectEverywhere(service: TestService, names: readonly string[]): Promise<string[]> {
  const etags = new Set<string>()
  for (const shape of [...SHAPES, ...SHAPES]) {
    for (const coding of ['identity', 'gzip']) {
      const seen = await look(service, shape, coding)
      expect([shape, seen.names]).toEqual([shape, shape === '&limit=2' ? names.slice(0, 2) : names])
      etags.add(`${shape} ${seen.etag}`)
    }
  }
  expect(etags.size).toBe(SHAPES.length)
  return [...etags]
}

async function add(admin: AsAdmin, name: string, kind = 'fish', gamemode = 'earth'): Promise<string> {
  // Long enough that it is sent compressed.
  const entries = [{ name: name.padEnd(100, '.'), ...(kind === 'fish' ? { rarity: 1 } : {}) }]
  const response = await admin('POST', `/admin/users/Alex/${kind}?gamemode=${gamemode}`, { [kind]: entries })
  return ((await response.json()) as Saved).id
}

const FREE = { ...UNLIMITED, adminRateLimit: UNLIMITED.rateLimit }
const long = (names: string) => [...names].map((name) => name.padEnd(100, '.'))

/** No read is older than what was acknowledged before it. */
export function freshnessBehaviour(open: OpenService): void {
  describe('a read', () => {
    it('in any form, page and coding shows every append and removal that was acknowledged', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      const ids = new Map<string, string>()
      const etags: string[] = [...(await expectEverywhere(service, []))]
      let names = ''
      for (const step of ['+a', '+b', '-a', '+c', '+a', '-b', '-c', '-a', '+a']) {
        const name = step.slice(1)
        if (step.startsWith('+')) ids.set(name, await add(admin, name))
        else await admin('DELETE', `${FISH}/${ids.get(name)}?gamemode=earth`)
        names = step.startsWith('+') ? names + name : names.replace(name, '')
        etags.push(...(await expectEverywhere(service, long(names))))
      }
      expect(new Set(etags).size).toBe(etags.length)
    })

    it('of one collection is not touched by changes of others, or of secrets', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      await add(admin, 'a')
      const before = await expectEverywhere(service, long('a'))
      await add(admin, 'b', 'fish', 'survival')
      await add(admin, 'b', 'crab')
      for (const type of ['password', 'fernet', 'api-key']) await admin('POST', '/admin/users/Alex/reset', { type })
      await expectEverywhere(service, long('a'))
      const after = await expectEverywhere(service, long('a'))
      expect(after.map((one) => one.split(' ')[0])).toEqual(before.map((one) => one.split(' ')[0]))
    })

    it('shows nothing of a deleted user to whom has the name next, however alike the history', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      const seen: string[] = []
      for (const [round, spelling] of ['Alex', 'ALEX', 'Alex'].entries()) {
        if (round > 0) {
          expect((await admin('DELETE', '/admin/users/alex')).status).toBe(204)
          const gone = await service.request('/get/fish?name=Alex&gamemode=earth', {
            headers: { 'if-none-match': '*' },
          })
          expect(gone.status).toBe(404)
          await admin('POST', '/admin/users', { name: spelling })
        }
        seen.push(...(await expectEverywhere(service, [])))
        await add(admin, String(round))
        seen.push(...(await expectEverywhere(service, long(String(round)))))
        const body = await (await service.request('/get/fish?name=Alex&gamemode=earth')).json()
        expect(body).toMatchObject({ user: spelling })
      }
      expect(new Set(seen).size).toBe(seen.length)
    })

    it('is 304 in each form and on each page until something changes, with the headers of the 200', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      await add(admin, 'a')
      const paths = SHAPES.map((shape) => `/get/fish?name=Alex&gamemode=earth${shape}`)
      const ask = (path: string, etag: string) =>
        service.request(path, { headers: { 'if-none-match': etag, 'accept-encoding': 'gzip' } })
      const etags = await Promise.all(
        paths.map(async (path) => (await service.request(path)).headers.get('etag') ?? ''),
      )
      for (const [index, path] of paths.entries()) {
        const response = await ask(path, etags[index] ?? '')
        expect([path, response.status, await response.text()]).toEqual([path, 304, ''])
        for (const name of ['etag', 'vary', 'cache-control']) expect(response.headers.get(name)).toBeTruthy()
        for (const name of ['content-encoding', 'content-type']) expect(response.headers.has(name)).toBe(false)
      }
      await add(admin, 'b')
      for (const [index, path] of paths.entries()) expect((await ask(path, etags[index] ?? '')).status).toBe(200)
    })

    it('with a wrong cursor is refused, whatever its If-None-Match says', async () => {
      const service = await open(FREE)
      const path = '/get/fish?name=Alex&gamemode=earth'
      const etag = String((await service.request(path)).headers.get('etag'))
      for (const value of ['*', etag]) {
        const response = await service.request(`${path}&cursor=wrong!`, { headers: { 'if-none-match': value } })
        expect(response.status).toBe(400)
      }
    })

    it('by administrators is as fresh, and not mixed up with what players read', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      const detail = async () => {
        const response = await admin('GET', `${FISH}?gamemode=earth`)
        return ((await response.json()) as { fish: Listed[] }).fish.map(({ name, id }) => [name[0], typeof id])
      }
      for (const names of ['', 'a', 'ab']) {
        if (names) await add(admin, names.slice(-1))
        expect(await detail()).toEqual([...names].map((name) => [name, 'string']))
        await expectEverywhere(service, long(names))
      }
    })
  })
}
