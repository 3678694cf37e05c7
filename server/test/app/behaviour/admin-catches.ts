import { crabCollectionSchema, HEADERS, type Kind, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot } from '../administration.ts'
import { countAll, encryptToken, type Listed, listed, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const FISH = '/admin/users/Alex/fish'
const COD = { fish: [{ name: 'Cod', rarity: 1 }] }

async function detail(admin: AsAdmin, kind: Kind = 'fish', gamemode = 'earth'): Promise<Listed[]> {
  const response = await admin('GET', `/admin/users/alex/${kind}?gamemode=${gamemode}`)
  expect(response.status).toBe(200)
  const body = (await response.json()) as { user: string } & Record<Kind, Listed[]>
  expect(body.user).toBe('Alex')
  return body[kind]
}

/** What administrators see and change of a user's collections. */
export function adminCatchesBehaviour(open: OpenService): void {
  describe('a user, as administrators see it,', () => {
    it.each(['Alex', 'aLEX', '%41lex'])('is shown by name, as %s, without secrets', async (name) => {
      const service = await open()
      const { id, createdAt } = service.alex
      const response = await (await asRoot(service))('GET', `/admin/users/${name}`)
      expect([response.status, await response.json()]).toEqual([200, { id, name: 'Alex', createdAt }])
    })

    it.each(['nobody', '%00', 'a%2Fb', 'root'])('is not found as %s, on any of its paths', async (name) => {
      const admin = await asRoot(await open())
      await expectError(await admin('GET', `/admin/users/${name}`), 'user_not_found')
      for (const kind of ['fish', 'crab']) {
        const path = `/admin/users/${name}/${kind}`
        await expectError(await admin('GET', `${path}?gamemode=earth`), 'user_not_found')
        await expectError(await admin('POST', `${path}?gamemode=earth`, COD), 'user_not_found')
        await expectError(await admin('DELETE', `${path}/some-id?gamemode=earth`), 'user_not_found')
      }
    })
  })

  describe('a collection, as administrators see it,', () => {
    it('has the id and the moment of every entry, as detail=full has', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      expect(await detail(admin)).toEqual([])
      const saved = (await (await post(service, 'fish', await encryptToken(service, SALMON))).json()) as Saved
      expect(await detail(admin)).toEqual([
        { name: 'Salmon', rarity: 'Gold', id: saved.id, caughtAt: new Date(service.now()).toISOString() },
      ])
      expect(await detail(admin)).toEqual(await listed(service, 'fish', '&gamemode=earth&detail=full'))
      expect(await detail(admin, 'crab')).toEqual([])
      expect(await detail(admin, 'fish', 'survival')).toEqual([])
    })

    it.each(['fish', 'crab'] as const)('of %s needs a gamemode that exists', async (kind) => {
      const admin = await asRoot(await open())
      const path = `/admin/users/Alex/${kind}`
      const body = kind === 'fish' ? COD : { crab: [{}] }
      const wrong = {
        '': 'missing_gamemode',
        '?gamemode=': 'missing_gamemode',
        '?gamemode=Earth': 'invalid_gamemode',
        '?gamemode=earth&gamemode=factions': 'gamemode_mismatch',
      }
      for (const [query, code] of Object.entries(wrong)) {
        await expectError(await admin('GET', path + query), code as 'missing_gamemode')
        await expectError(await admin('POST', path + query, body), code as 'missing_gamemode')
        await expectError(await admin('DELETE', `${path}/some-id${query}`), code as 'missing_gamemode')
      }
      expect(await detail(admin, kind)).toEqual([])
    })
  })

  describe('catches that an administrator adds', () => {
    it('are stored as one record, at their own moments or now, and seen by everyone', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const fish = [
        { name: 'Cod', rarity: 1, caughtAt: '2020-01-02T03:04:05+01:00' },
        { name: 'Koi', rarity: 7, weight: 3 },
      ]
      const response = await admin('POST', `${FISH}?gamemode=earth`, { fish })
      expect(response.status).toBe(201)
      const { id, message } = (await response.json()) as Saved
      expect(message).toBe('2 fish saved for user Alex')
      expect(await detail(admin)).toEqual([
        { name: 'Cod', rarity: 'Bronze', id, caughtAt: '2020-01-02T02:04:05.000Z' },
        { name: 'Koi', rarity: 'Mythical', id, caughtAt: new Date(service.now()).toISOString() },
      ])
      expect(await listed(service)).toHaveLength(2)

      const crab = await admin('POST', '/admin/users/Alex/crab?gamemode=oneblock', { crab: [{}, { name: 'King' }] })
      expect(await crab.json()).toMatchObject({ message: '2 crabs saved for user Alex' })
      const page = await service.request('/get/crab?name=Alex&gamemode=oneblock')
      expect(crabCollectionSchema.parse(await page.json()).crab).toEqual([{ name: 'crab' }, { name: 'King' }])
    })

    it('are no tokens: the same ones twice are stored twice', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      for (let count = 0; count < 2; count += 1) {
        const response = await admin('POST', `${FISH}?gamemode=earth`, COD)
        expect([response.status, response.headers.has(HEADERS.replayed)]).toEqual([201, false])
      }
      expect(new Set((await detail(admin)).map(({ id }) => id)).size).toBe(2)
    })

    it.each([
      ['fish', {}],
      ['fish', { fish: [] }],
      ['fish', { fish: Array.from({ length: 501 }, () => ({ name: 'Cod', rarity: 1 })) }],
      ['fish.0.rarity', { fish: [{ name: 'Cod' }] }],
      ['fish.0.rarity', { fish: [{ name: 'Cod', rarity: 'Gold' }] }],
      ['fish.1.rarity', { fish: [...COD.fish, { name: 'Cod', rarity: 8 }] }],
      ['fish.0.name', { fish: [{ name: 'a\nb', rarity: 1 }] }],
      ['fish.0.caughtAt', { fish: [{ name: 'Cod', rarity: 1, caughtAt: 'now' }] }],
      ['fish', { crab: [{ name: 'crab' }] }],
      ['crab.1.rarity', { crab: [{}, { name: 'Cod', rarity: 1 }] }],
    ])('with a wrong %s are refused as a whole', async (path, body) => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const target = path.startsWith('crab') ? '/admin/users/Alex/crab' : FISH
      const { details } = await expectError(await admin('POST', `${target}?gamemode=earth`, body), 'invalid_payload')
      expect(details?.map((entry) => entry.path)).toEqual([path])
      expect(await countAll(service)).toBe(0)
    })
  })
}
