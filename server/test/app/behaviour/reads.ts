import { RARITIES } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { encryptToken, listed, post, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const HOUR = 3_600_000

/** Reading collections. */
export function readsBehaviour(open: OpenService): void {
  describe('a read', () => {
    it.each(['fish', 'crab'] as const)('of an empty %s collection is an empty array', async (kind) => {
      const service = await open()
      const response = await service.request(`/get/${kind}?name=Alex&gamemode=factions`)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(`{"user":"Alex","${kind}":[]}`)
    })

    it.each([
      ['', 'missing_name'],
      ['?gamemode=earth', 'missing_name'],
      ['?name=&gamemode=earth', 'missing_name'],
      ['?name=&gamemode=moon', 'missing_name'],
      ['?name=Alex', 'missing_gamemode'],
      ['?name=nobody', 'missing_gamemode'],
      ['?name=Alex&gamemode=', 'missing_gamemode'],
      ['?name=Alex&gamemode=moon', 'invalid_gamemode'],
      ['?name=Alex&gamemode=Earth', 'invalid_gamemode'],
      ['?name=Alex&gamemode=earth%20', 'invalid_gamemode'],
      ['?name=Alex&gamemode=earth%00', 'invalid_gamemode'],
      ['?name=Alex&gamemode=__proto__', 'invalid_gamemode'],
      ['?name=nobody&gamemode=earth', 'user_not_found'],
    ] as const)('with the query %j says %s, for both kinds', async (query, code) => {
      const service = await open()
      for (const kind of ['fish', 'crab']) await expectError(await service.request(`/get/${kind}${query}`), code)
    })

    it.each(['Alex', 'alex', 'ALEX', 'aLeX', '%41lex'])(
      'finds the user by %s and shows the name as created',
      async (name) => {
        const service = await open()
        const response = await service.request(`/get/crab?name=${name}&gamemode=earth`)
        expect(await response.json()).toEqual({ user: 'Alex', crab: [] })
      },
    )

    it.each([
      ...[
        '-alex',
        'a'.repeat(33),
        'Alex ',
        ' Alex',
        'Al ex',
        'Alex\0',
        'Alex?x',
        'user:alex',
        '../alex',
        'Alex/',
        'Âlex',
        'AleΧ',
        '💀',
      ],
      ...['Alex%', '__proto__', 'constructor', 'ſ', 'admin:root', 'root', '$', "' OR 1=1 --", '*', '.', '..'],
    ])('of %j, whom nobody created, says user_not_found', async (name) => {
      const service = await open(UNLIMITED)
      const query = `?name=${encodeURIComponent(name)}&gamemode=earth`
      await expectError(await service.request(`/get/fish${query}`), 'user_not_found')
    })

    it('returns fish with name and label alone, of every rarity, oldest first', async () => {
      const service = await open(UNLIMITED)
      for (const { value } of RARITIES) {
        expect((await write(service, 'fish', { fish: `Fish ${value}`, rarity: value })).status).toBe(201)
      }
      expect(await listed(service)).toEqual(
        RARITIES.map(({ value, label }) => ({ name: `Fish ${value}`, rarity: label })),
      )
    })

    it('returns crabs with their name alone', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'crab', { fish: 'crab' })
      await write(service, 'crab', { crab: [{ name: 'Hermit' }, {}] })
      expect(await listed(service, 'crab')).toEqual([{ name: 'crab' }, { name: 'Hermit' }, { name: 'crab' }])
    })

    it('keeps kinds, gamemodes and users apart', async () => {
      const service = await open(UNLIMITED)
      await write(service, 'fish', { fish: 'Cod', rarity: 1 }, { gamemode: 'earth' })
      await write(service, 'fish', { fish: 'Koi', rarity: 2 }, { gamemode: 'survival' })
      await write(service, 'crab', { fish: 'crab' }, { gamemode: 'oneblock' })
      expect(await listed(service, 'fish', '&gamemode=earth')).toEqual([{ name: 'Cod', rarity: 'Bronze' }])
      expect(await listed(service, 'fish', '&gamemode=survival')).toEqual([{ name: 'Koi', rarity: 'Silver' }])
      expect(await listed(service, 'fish', '&gamemode=oneblock')).toEqual([])
      expect(await listed(service, 'crab', '&gamemode=earth')).toEqual([])
      expect(await listed(service, 'crab', '&gamemode=oneblock')).toEqual([{ name: 'crab' }])
    })

    it('with detail=full adds the id of the record, and when the payload or else the token says it was', async () => {
      const service = await open(UNLIMITED)
      const caughtAt = '2025-12-24T18:00:00.000Z'
      const payload = {
        fish: [
          { name: 'Cod', rarity: 1, caughtAt },
          { name: 'Koi', rarity: 7 },
        ],
      }
      const token = await encryptToken(service, payload, { now: service.now() - HOUR })
      const { id } = (await (await post(service, 'fish', token)).json()) as { id: string }
      expect(await listed(service, 'fish', '&gamemode=earth&detail=full')).toEqual([
        { name: 'Cod', rarity: 'Bronze', id, caughtAt },
        { name: 'Koi', rarity: 'Mythical', id, caughtAt: new Date(service.now() - HOUR).toISOString() },
      ])
      const crab = await (await write(service, 'crab', { fish: 'crab' })).json()
      expect(await listed(service, 'crab', '&gamemode=earth&detail=full')).toEqual([
        { name: 'crab', id: crab.id, caughtAt: new Date(service.now()).toISOString() },
      ])
    })

    it.each([
      ['detail', 'everything'],
      ['detail', 'FULL'],
      ['limit', '0'],
      ['limit', '1001'],
      ['limit', '-1'],
      ['limit', '2.5'],
      ['limit', 'ten'],
      ['limit', ''],
      ['limit', 'Infinity'],
      ['limit', '9'.repeat(400)],
      ['limit', '1e2'],
      ['limit', '0x10'],
      ['limit', '%2010'],
      ['limit', '10%20'],
      ['limit', '%2B5'],
      ['limit', '5.0'],
      ['limit', '%D9%A5'],
      ['limit', '5&limit=6'],
      ['detail', 'full&detail=all'],
      ['cursor', ''],
      ['cursor', 'x'],
      ['cursor', '1.'],
      ['cursor', '.1'],
      ['cursor', '1.1.1'],
      ['cursor', '-1.0'],
      ['cursor', '1.0%00'],
      ['cursor', 'zzzzzzzzzzz.0'],
      ['cursor', 'A.0'],
      ['cursor', '1'.repeat(600)],
      ['cursor', '../../etc'],
    ])('with %s=%s says invalid_query and which parameter is meant', async (parameter, value) => {
      const service = await open()
      const limit = parameter === 'cursor' ? '&limit=5' : ''
      const response = await service.request(`/get/fish?name=Alex&gamemode=earth&${parameter}=${value}${limit}`)
      const { details } = await expectError(response, 'invalid_query')
      expect(details?.map(({ path }) => path)).toEqual([parameter])
    })

    it.each([
      ['name=Alex&name=Bea&gamemode=earth', 'user_mismatch'],
      ['name=nobody&name=Alex&gamemode=earth', 'user_mismatch'],
      ['name=Alex&gamemode=earth&gamemode=factions', 'gamemode_mismatch'],
      ['name=Alex&gamemode=earth&gamemode=moon', 'invalid_gamemode'],
    ] as const)('whose query says two things, ?%s, says %s', async (query, code) => {
      const service = await open()
      await expectError(await service.request(`/get/fish?${query}`), code)
    })

    it('takes what its query says twice where both agree, names in any letter case', async () => {
      const service = await open()
      const query = 'name=Alex&name=&name=aLEX&gamemode=earth&gamemode=earth&limit=5&limit=5&detail=full&detail=full'
      expect((await service.request(`/get/crab?${query}`)).status).toBe(200)
    })

    it('lists every parameter that is wrong', async () => {
      const service = await open()
      const response = await service.request('/get/crab?name=Alex&gamemode=earth&detail=x&limit=0&cursor=')
      const { details } = await expectError(response, 'invalid_query')
      expect(details?.map(({ path }) => path).sort()).toEqual(['cursor', 'detail', 'limit'])
    })
  })

  describe('the demo', () => {
    it('shows fish of all seven rarities in the shape of a read', async () => {
      const service = await open()
      const demo = (await (await service.request('/demo/fish')).json()) as { fish: { rarity: string }[] }
      expect(demo).toEqual({
        user: 'demo',
        fish: demo.fish.map(() => ({ name: expect.any(String), rarity: expect.any(String) })),
      })
      expect(new Set(demo.fish.map(({ rarity }) => rarity))).toEqual(new Set(RARITIES.map(({ label }) => label)))
    })

    it('shows crabs in the shape of a read, the same each time', async () => {
      const service = await open()
      const text = await (await service.request('/demo/crab')).text()
      const demo = JSON.parse(text) as { crab: unknown[] }
      expect(demo).toEqual({ user: 'demo', crab: demo.crab.map(() => ({ name: expect.any(String) })) })
      expect(demo.crab.length).toBeGreaterThan(0)
      expect(await (await service.request('/demo/crab')).text()).toBe(text)
    })
  })
}
