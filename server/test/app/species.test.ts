import type { CreatedUser, Kind, KnownSpecies, Profile, SpeciesList } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { profileOf } from '../../src/app/catches/profile.ts'
import { createSlices } from '../../src/app/core/slices.ts'
import { asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, from, UNLIMITED } from './test-service.ts'

const MINUTE = 60_000
const PATH = '/get/species'

type Service = Awaited<ReturnType<typeof createMemoryService>>
type Options = Parameters<typeof createMemoryService>[0]

async function read(service: Service, query = ''): Promise<KnownSpecies> {
  const response = await service.request(`${PATH}${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as KnownSpecies
}

const createPlayer = ({ app }: Service, name: string) => app.users.create({ name, password: `${name}-password` })

async function add(service: Service, player: CreatedUser, fish: string, gamemode = 'earth'): Promise<void> {
  const payload = JSON.stringify({ fish, rarity: 3 })
  const body = await createFernet(player.fernetKey).encrypt(payload, { now: service.now() })
  const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': gamemode }
  const response = await service.request(`/post/fish?name=${player.name}`, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
}

/** Opens a service on which three players have a salmon. */
async function openService(options: Options = UNLIMITED) {
  const service = await createMemoryService(options)
  const players = [service.alex, await createPlayer(service, 'Bella'), await createPlayer(service, 'Cleo')]
  for (const player of players) await add(service, player, 'Salmon')
  return { service, players }
}

/** Reads until the census in the background has another result. The memory storage needs only turns of the event loop. */
async function nextCensus(service: Service, before: KnownSpecies): Promise<KnownSpecies> {
  for (let turns = 0; turns < 1000; turns += 1) {
    const found = await read(service)
    if (JSON.stringify(found) !== JSON.stringify(before)) return found
    await new Promise(setImmediate)
  }
  throw new Error('No other census.')
}

describe('the list of species', () => {
  it('contains the species that three players have, without the names of players', async () => {
    const { service, players } = await openService()
    await add(service, players[0] as CreatedUser, 'A rude word')
    expect(await read(service)).toEqual({
      players: 3,
      species: [
        {
          kind: 'fish',
          name: 'Salmon',
          rarities: ['Gold'],
          players: 3,
          catches: 3,
          firstCaughtAt: new Date(service.now()).toISOString(),
        },
      ],
    })
  })

  it('covers one gamemode or all gamemodes, and rejects an unknown gamemode', async () => {
    const { service } = await openService()
    expect((await read(service, '?gamemode=earth')).species).toHaveLength(1)
    expect(await read(service, '?gamemode=survival')).toEqual({ players: 0, species: [] })
    for (const gamemode of ['moon', 'Earth', '']) {
      await expectError(await service.request(`${PATH}?gamemode=${gamemode}`), 'invalid_query')
    }
  })

  it('counts against the public rate limit', async () => {
    const service = await createMemoryService({ rateLimit: { requests: 2, windowMs: 300_000 } })
    const remaining = async () => (await service.request(PATH)).headers.get('x-ratelimit-remaining')
    expect([await remaining(), await remaining()]).toEqual(['1', '0'])
    await expectError(await service.request(PATH), 'rate_limited')
    expect((await service.request(PATH, from('198.51.100.7'))).status).toBe(200)
  })

  it('is counted at most every ten minutes, and an older list is served while the next census runs', async () => {
    const { service, players } = await openService()
    const first = await read(service)
    for (const player of players) await add(service, player, 'Koi')
    service.advance(10 * MINUTE - 1)
    expect(await read(service)).toEqual(first)
    await new Promise(setImmediate)
    expect(await read(service)).toEqual(first)
    service.advance(1)
    expect(await read(service)).toEqual(first)
    expect((await nextCensus(service, first)).species.map(({ name }) => name)).toEqual(['Koi', 'Salmon'])
  })

  it('is counted once for all requests at the same time, and one gamemode after the other', async () => {
    const storage = createMemoryStorage()
    const { collectionTallies } = storage
    const readers = { now: 0, most: 0, all: 0 }
    const { service } = await openService({
      ...UNLIMITED,
      storage: Object.assign(storage, {
        observedBy: () => storage,
        async collectionTallies(collection: Parameters<typeof collectionTallies>[0]) {
          readers.now += 1
          readers.all += 1
          readers.most = Math.max(readers.most, readers.now)
          await new Promise(setImmediate)
          return collectionTallies(collection).finally(() => {
            readers.now -= 1
          })
        },
      }),
    })
    await Promise.all(['', '', '', '?gamemode=earth', '?gamemode=earth'].map((query) => read(service, query)))
    // Three players have five pairs of collections: four gamemodes in one census, and one gamemode in the other.
    expect(readers).toEqual({ now: 0, most: 2, all: 3 * 5 * 2 })
  })

  it('adds to a profile how many of the known species the player has, once they are counted', async () => {
    const { service, players } = await openService()
    const [alex, bella] = players as [CreatedUser, CreatedUser]
    await add(service, alex, ' SALMON', 'survival')
    for (const player of players) await add(service, player, 'Koi')
    await add(service, bella, 'Only Bella has this')
    const profile = async (name: string) => {
      const response = await service.request(`/get/profile?name=${name}`)
      const { knownSpecies } = (await response.json()) as Profile
      return { etag: response.headers.get('etag'), knownSpecies }
    }
    const before = await profile('Bella')
    expect(before.knownSpecies).toBeUndefined()
    await createPlayer(service, 'Dora')
    await read(service)
    const after = await profile('Bella')
    expect(after.knownSpecies).toEqual({ total: 2, caught: 2 })
    expect(after.etag).not.toBe(before.etag)
    expect((await profile('Alex')).knownSpecies).toEqual({ total: 2, caught: 2 })
    expect((await profile('Dora')).knownSpecies).toEqual({ total: 2, caught: 0 })
  })

  it('is not compared with a collection whose species are not listed, and a crab is not a fish of the same name', async () => {
    const tally = { name: 'Koi', label: null, count: 1, first: 0, last: 0 }
    const profile = async (kind: Kind, species: readonly (typeof tally)[] | null) => {
      const collection = { kind, gamemode: 'earth', count: 1, species, days: [], latest: [] } as const
      const known = new Set(['fish koi', 'fish eel'])
      const options = { user: 'Alex', gamemodes: ['earth'], today: '2026-01-01', withSpecies: false, known } as const
      return (await profileOf([collection], { ...options, slices: createSlices() })).knownSpecies
    }
    expect(await profile('fish', [tally])).toEqual({ total: 2, caught: 1 })
    expect(await profile('crab', [tally])).toEqual({ total: 2, caught: 0 })
    expect(await profile('fish', null)).toBeUndefined()
  })

  it('does not change for clients that already have it', async () => {
    const { service, players } = await openService()
    const response = await service.request(PATH)
    const etag = response.headers.get('etag') as string
    const again = (match: string) => service.request(PATH, { headers: { 'if-none-match': match } })
    expect([(await again(etag)).status, (await again('"other"')).status]).toEqual([304, 200])
    const before = (await response.json()) as KnownSpecies
    for (const player of players) await add(service, player, 'Koi')
    service.advance(10 * MINUTE)
    await nextCensus(service, before)
    expect((await again(etag)).status).toBe(200)
  })

  it('does not count players who are hidden, suspended, private or deleted', async () => {
    const { service } = await openService()
    const admin = await asRoot(service)
    const others = ['Dora', 'Emil', 'Finn', 'Gina']
    for (const name of others) await add(service, await createPlayer(service, name), 'Salmon')
    await admin('POST', '/admin/users/Dora/suspend', { hide: true })
    await admin('POST', '/admin/users/Emil/suspend', {})
    await service.request('/user', {
      method: 'PATCH',
      headers: { authorization: basic('Finn', 'Finn-password'), 'content-type': 'application/json' },
      body: JSON.stringify({ public: false }),
    })
    await admin('DELETE', '/admin/users/Gina')
    const first = await read(service)
    expect([first.players, first.species[0]?.players]).toEqual([3, 3])
    await admin('POST', '/admin/users/Bella/suspend', {})
    service.advance(10 * MINUTE)
    expect(await nextCensus(service, first)).toEqual({ players: 2, species: [] })
  })

  it('is the list of the operator, with species that nobody has', async () => {
    const list: SpeciesList = [
      { name: 'Whale', kind: 'fish', rarities: ['Mythical'], hint: 'Only at night' },
      { name: 'SALMON', kind: 'fish' },
    ]
    const { service } = await openService({ ...UNLIMITED, species: { list } })
    const profile = (await (await service.request('/get/profile?name=Alex')).json()) as Profile
    expect(profile.knownSpecies).toEqual({ total: 2, caught: 1 })
    expect((await read(service)).species).toEqual([
      expect.objectContaining({ name: 'SALMON', rarities: ['Gold'], players: 3, listed: true }),
      {
        kind: 'fish',
        name: 'Whale',
        rarities: ['Mythical'],
        players: 0,
        catches: 0,
        listed: true,
        hint: 'Only at night',
      },
    ])
  })

  it('is 503 with Retry-After after ten seconds without a first census, which continues', async () => {
    const storage = createMemoryStorage()
    const { listItems } = storage
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const waits: { milliseconds: number; run: () => void }[] = []
    const { service } = await openService({
      ...UNLIMITED,
      schedule(milliseconds, run) {
        waits.push({ milliseconds, run })
        return () => {}
      },
      storage: Object.assign(storage, {
        observedBy: () => storage,
        async listItems(range: Parameters<typeof listItems>[0]) {
          await released
          return listItems(range)
        },
      }),
    })
    const waiting = service.request(PATH)
    while (waits.length === 0) await new Promise(setImmediate)
    expect(waits[0]?.milliseconds).toBe(10_000)
    waits[0]?.run()
    const response = await waiting
    expect(response.headers.get('retry-after')).toBe('10')
    await expectError(response, 'unavailable')
    release()
    expect((await read(service)).players).toBe(3)
  })

  it('is counted again by the next request after a census failed', async () => {
    const storage = createMemoryStorage()
    const { collectionTallies } = storage
    const errors: string[] = []
    let failures = 1
    const { service } = await openService({
      ...UNLIMITED,
      logger: { info() {}, warn() {}, error: (_, message) => errors.push(String(message)) },
      storage: Object.assign(storage, {
        observedBy: () => storage,
        async collectionTallies(collection: Parameters<typeof collectionTallies>[0]) {
          failures -= 1
          if (failures >= 0) throw new Error('disk on fire')
          return collectionTallies(collection)
        },
      }),
    })
    expect((await service.request(PATH)).status).toBe(500)
    expect(errors).toContain('the species could not be counted')
    expect((await read(service)).players).toBe(3)
  })
})

describe('createApp', () => {
  it.each([{ minPlayers: 0 }, { minPlayers: 1.5 }, { list: [] }, { list: [{ name: 'Koi', kind: 'whale' }] }])(
    'rejects the species policy %o',
    async (species) => {
      await expect(createMemoryService({ species: species as never })).rejects.toThrow('createApp: species must have')
    },
  )
})
