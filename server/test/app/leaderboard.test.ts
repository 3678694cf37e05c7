import type { PublicLeaderboard } from '@fish-crab/sdk/contract'
import { wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import type { PageView } from '../../src/app/http/response.ts'
import type { Leaderboard } from '../../src/page-data.ts'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { render } from '../../web/src/collection/render.tsx'
import { type AsAdmin, asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const MINUTE = 60_000
const pages = {
  template: async () => '<title>{{title}}</title><body><!--{{app}}--></body>',
  asset: async () => undefined,
  render: async (view: PageView) => render(view as Parameters<typeof render>[0]),
}

type Service = Awaited<ReturnType<typeof createMemoryService>>

async function open(options: Parameters<typeof createMemoryService>[0] = {}) {
  const service = await createMemoryService({ pages, ...UNLIMITED, publicLeaderboard: true, ...options })
  const admin = await asRoot(service)
  for (const name of ['Ben', 'Cleo']) await admin('POST', '/admin/users', { name })
  return { service, admin }
}

interface Added {
  readonly name?: string
  readonly rarity?: number
  readonly times?: number
  readonly caughtAt?: string
  readonly gamemode?: string
}

async function addFish(admin: AsAdmin, user: string, { gamemode = 'earth', times = 1, ...fish }: Added): Promise<void> {
  const entries = Array.from({ length: times }, () => ({ name: 'Koi', rarity: 1, ...fish }))
  const response = await admin('POST', `/admin/users/${user}/fish?gamemode=${gamemode}`, { fish: entries })
  expect(response.status).toBe(201)
}

async function read(service: Service, query: string): Promise<PublicLeaderboard> {
  const response = await service.request(`/get/leaderboard?${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as PublicLeaderboard
}

const placesOf = async (service: Service, query: string) =>
  (await read(service, query)).leaderboard.map(({ name, count }) => `${name} ${count}`)

async function drawn(service: Service, query = ''): Promise<Leaderboard & { readonly html: string }> {
  const html = await (await service.request(`/leaderboard${query}`)).text()
  const [, text = 'null'] = /id="page-data">(.*?)<\/script>/s.exec(html) ?? []
  return { ...JSON.parse(text), html }
}

describe('the leaderboard', () => {
  it('counts catches, species, or the fish of a rarity, of all gamemodes or of one', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', { times: 3 })
    await addFish(admin, 'Alex', { gamemode: 'survival', rarity: 7 })
    await addFish(admin, 'Ben', { name: 'Cod' })
    await addFish(admin, 'Ben', { name: 'Eel', gamemode: 'survival', times: 2 })
    await admin('POST', '/admin/users/Cleo/crab?gamemode=earth', { crab: [{ name: 'Ghost' }, {}] })
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 4', 'Ben 3'])
    expect(await placesOf(service, 'kind=fish&gamemode=survival')).toEqual(['Ben 2', 'Alex 1'])
    expect(await placesOf(service, 'kind=fish&by=species')).toEqual(['Ben 2', 'Alex 1'])
    expect(await placesOf(service, 'kind=fish&by=species&gamemode=earth')).toEqual(['Alex 1', 'Ben 1'])
    expect(await placesOf(service, 'kind=fish&by=7')).toEqual(['Alex 1'])
    expect(await placesOf(service, 'kind=fish&by=1&gamemode=earth')).toEqual(['Alex 3', 'Ben 1'])
    expect(await placesOf(service, 'kind=fish&by=3')).toEqual([])
    expect(await placesOf(service, 'kind=crab&by=species')).toEqual(['Cleo 2'])
  })

  it('counts a UTC month, by catches and by rarity', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', { caughtAt: '2025-01-31T23:59:59Z', rarity: 7 })
    await addFish(admin, 'Alex', { caughtAt: '2025-02-01T00:00:00Z' })
    await addFish(admin, 'Ben', { caughtAt: '2025-02-28T12:00:00Z', rarity: 7, times: 2 })
    expect(await placesOf(service, 'kind=fish&period=2025-01')).toEqual(['Alex 1'])
    expect(await placesOf(service, 'kind=fish&period=2025-02')).toEqual(['Ben 2', 'Alex 1'])
    expect(await placesOf(service, 'kind=fish&period=2025-02&by=7')).toEqual(['Ben 2'])
    expect(await placesOf(service, 'kind=fish&period=2025-03')).toEqual([])
    expect(await placesOf(service, 'kind=fish&period=all&by=7')).toEqual(['Ben 2', 'Alex 1'])
  })

  it.each([
    ['by=species&period=2025-01', 'period'],
    ['by=8', 'by'],
    ['by=Gold', 'by'],
    ['period=2026-13', 'period'],
    ['period=', 'period'],
  ])('rejects %s', async (query, path) => {
    const { service } = await open()
    const response = await service.request(`/get/leaderboard?kind=fish&${query}`)
    expect((await expectError(response, 'invalid_query')).details?.map((one) => one.path)).toEqual([path])
  })

  it('rejects a rarity of crabs', async () => {
    const { service } = await open()
    await expectError(await service.request('/get/leaderboard?kind=crab&by=7'), 'invalid_query')
  })

  it('contains the place of a player in any letter case, where equal counts share a rank', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', { times: 2 })
    for (const name of ['Ben', 'Cleo']) await addFish(admin, name, {})
    const place = async (name: string) => (await read(service, `kind=fish&limit=1&name=${name}`)).you
    expect(await place('cleo')).toEqual({ rank: 2, count: 1 })
    expect(await place('Ben')).toEqual({ rank: 2, count: 1 })
    expect(await place('Alex')).toEqual({ rank: 1, count: 2 })
    expect(await place('Nobody')).toBeUndefined()
    expect((await read(service, 'kind=crab&name=Alex')).you).toBeUndefined()
  })

  it('is counted at most every ten minutes, once for all leaderboards of a period', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', {})
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 1'])
    await addFish(admin, 'Ben', { rarity: 7, times: 5 })
    service.advance(10 * MINUTE - 1)
    expect(await placesOf(service, 'kind=fish&by=7')).toEqual([])
    service.advance(1)
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 1'])
    await expect.poll(() => placesOf(service, 'kind=fish'), { interval: 1 }).toEqual(['Ben 5', 'Alex 1'])
  })

  it('does not show players who were hidden, deleted or renamed since the count', async () => {
    const { service, admin } = await open()
    for (const [at, name] of ['Alex', 'Ben', 'Cleo'].entries()) await addFish(admin, name, { times: 3 - at })
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 3', 'Ben 2', 'Cleo 1'])
    await admin('DELETE', '/admin/users/Alex')
    await admin('POST', '/admin/users/Ben/suspend', { hide: true })
    await admin('POST', '/admin/users/Cleo/rename', { name: 'Dora' })
    expect(await read(service, 'kind=fish&name=Ben')).toEqual({ leaderboard: [{ name: 'Dora', count: 1 }] })
    expect((await read(service, 'kind=fish&name=Dora')).you).toEqual({ rank: 1, count: 1 })
    expect((await drawn(service)).players).toBe(1)
  })

  it('of all time is not counted again because of other periods', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', {})
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 1'])
    for (let month = 1; month <= 9; month += 1) await placesOf(service, `kind=fish&period=2024-0${month}`)
    await addFish(admin, 'Ben', { times: 2 })
    expect(await placesOf(service, 'kind=fish')).toEqual(['Alex 1'])
  })

  it('of a month is refused while three counts of months wait, and its page says that the service is busy', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const storage = createMemoryDriver()
    const { service, admin } = await open({
      storage: wrapDriver({
        ...storage,
        async collectionTallies(...args: Parameters<typeof storage.collectionTallies>) {
          await ended
          return storage.collectionTallies(...args)
        },
      }),
    })
    await addFish(admin, 'Alex', {})
    const get = (month: number) => service.request(`/get/leaderboard?kind=fish&period=2024-0${month}`)
    const waiting = [1, 2, 3].map(get)
    const refused = await get(4)
    expect(refused.headers.get('retry-after')).toBe('10')
    await expectError(refused, 'unavailable')
    const html = await (await service.request('/leaderboard?period=2024-04')).text()
    expect(html).toContain('"view":"problem","title":"Leaderboard","problem":{"kind":"busy"')
    end()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await get(4)).status).toBe(200)
  })
})

describe('the page of the leaderboard', () => {
  it('contains the leaderboard of its address, with the rarest label of each player', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', { times: 2 })
    await addFish(admin, 'Ben', { rarity: 7, gamemode: 'survival' })
    const { html: _, countedAt, ...all } = await drawn(service)
    expect(countedAt).toBe(service.now())
    expect(all).toEqual({
      view: 'leaderboard',
      board: { kind: 'fish', by: 'catches', period: 'all' },
      thisMonth: new Date(service.now()).toISOString().slice(0, 7),
      players: 2,
      leaders: [
        { name: 'Alex', count: 2, rarest: 'Bronze' },
        { name: 'Ben', count: 1, rarest: 'Mythical' },
      ],
    })
    const one = await drawn(service, '?gamemode=survival&by=7&period=2025-01')
    expect(one.board).toEqual({ kind: 'fish', by: '7', gamemode: 'survival', period: '2025-01' })
    expect(one.html).toContain('Nobody is on this leaderboard yet.')
  })

  it('shows the distance to the place above, and equal counts as equal', async () => {
    const { service, admin } = await open()
    await addFish(admin, 'Alex', { times: 4 })
    for (const name of ['Ben', 'Cleo']) await addFish(admin, name, {})
    const { html } = await drawn(service)
    const gaps = [...html.matchAll(/class="quiet gap">(.*?)</g)].map(([, text]) => text)
    expect(gaps).toEqual(['3 behind Alex', 'equal to Ben'])
    const places = [...html.matchAll(/Place <\/span>(\d+)/g)].map(([, place]) => place)
    expect(places).toEqual(['1', '2', '2'])
  })

  it('ignores invalid values in its address, and links only to leaderboards that exist', async () => {
    const { service } = await open()
    const wrong = await drawn(service, '?kind=whale&by=9&gamemode=moon&period=yesterday&x=1')
    expect(wrong.board).toEqual({ kind: 'fish', by: 'catches', period: 'all' })
    for (const query of ['', '?by=7', '?by=species', '?period=2025-01', '?kind=crab', '?kind=crab&by=species']) {
      const { html } = await drawn(service, query)
      for (const [, path = ''] of html.matchAll(/href="\/leaderboard\?([^"]*)"/g)) {
        const search = path.replaceAll('&amp;', '&')
        const kind = search.includes('kind=') ? '' : 'kind=fish&'
        expect([search, (await service.request(`/get/leaderboard?${kind}${search}`)).status]).toEqual([search, 200])
      }
    }
  })

  it('says that the leaderboard is not public', async () => {
    const { service } = await open({ publicLeaderboard: false })
    expect((await drawn(service)).html).toContain('does not show who has caught the most')
  })
})

describe('the home page', () => {
  it('has the first five players of a public leaderboard', async () => {
    const { service, admin } = await open()
    const names = ['Dora', 'Emil', 'Finn']
    for (const name of names) await admin('POST', '/admin/users', { name })
    for (const [at, name] of ['Alex', 'Ben', 'Cleo', ...names].entries()) await addFish(admin, name, { times: 9 - at })
    const html = await (await service.request('/')).text()
    const shown = [...html.matchAll(/href="\/@(\w+)"/g)].map(([, name]) => name)
    expect(shown).toEqual(['Alex', 'Ben', 'Cleo', 'Dora', 'Emil'])
    const closed = await open({ publicLeaderboard: false })
    await addFish(closed.admin, 'Alex', {})
    expect(await (await closed.service.request('/')).text()).not.toContain('href="/@Alex"')
  })
})
