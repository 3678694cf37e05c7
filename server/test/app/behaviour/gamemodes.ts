import { GAMEMODES, type Gamemode, KINDS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { listed, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

/** The gamemodes that the operator of a service names. */
export function gamemodesBehaviour(open: OpenService): void {
  const openWith = (gamemodes: readonly Gamemode[]) => open({ ...UNLIMITED, gamemodes })

  describe('the gamemodes of a service', () => {
    it('are the usual four, unless its operator names others', async () => {
      const status = await (await open()).request('/status')
      expect(await status.json()).toMatchObject({ gamemodes: ['oneblock', 'earth', 'survival', 'factions'] })
    })

    it('are as many as its operator names, each with collections, a summary, counts and a leaderboard', async () => {
      const gamemodes = [...GAMEMODES, 'box_smp-2']
      const service = await openWith(gamemodes)
      expect(await (await service.request('/status')).json()).toMatchObject({ gamemodes })
      for (const [index, gamemode] of gamemodes.entries()) {
        const fish = Array.from({ length: index + 1 }, () => ({ name: `Fish of ${gamemode}`, rarity: 1 }))
        expect((await write(service, 'fish', { gamemode, fish }, { gamemode: null })).status).toBe(201)
        expect((await write(service, 'crab', { fish: 'crab' }, { gamemode })).status).toBe(201)
      }
      const admin = await asRoot(service)
      for (const [index, gamemode] of gamemodes.entries()) {
        const query = `&gamemode=${gamemode}`
        const names = new Set((await listed(service, 'fish', query)).map(({ name }) => name))
        expect([...names]).toEqual([`Fish of ${gamemode}`])
        const summary = await service.request(`/get/fish?name=Alex&summary=species${query}`)
        expect(await summary.json()).toMatchObject({ gamemode, total: index + 1, unique: 1 })
        const leaders = await admin('GET', `/admin/leaderboard?type=fish${query}`)
        expect(await leaders.json()).toMatchObject({ gamemode, leaderboard: [{ name: 'Alex', count: index + 1 }] })
      }
      const { fish, crab } = (await (await admin('GET', '/admin/stats')).json()) as Record<
        'fish' | 'crab',
        { total: number; byGamemode: object }
      >
      expect(Object.entries(fish.byGamemode)).toEqual(gamemodes.map((gamemode, index) => [gamemode, index + 1]))
      expect([fish.total, crab.total]).toEqual([15, 5])
    })

    it('are only those, and a request for another one names them', async () => {
      const service = await openWith(['sky', 'earth'])
      const { error } = await expectError(
        await write(service, 'fish', SALMON, { gamemode: 'survival' }),
        'invalid_gamemode',
      )
      expect(error).toBe('Unknown gamemode. Use one of sky, earth.')
      for (const kind of KINDS) {
        await expectError(await service.request(`/get/${kind}?name=Alex&gamemode=survival`), 'invalid_gamemode')
        const missing = await expectError(await service.request(`/get/${kind}?name=Alex`), 'missing_gamemode')
        expect(missing.error).toBe('Missing gamemode. Use one of sky, earth.')
      }
      await expectError(await service.request('/events?name=Alex&gamemode=survival'), 'invalid_gamemode')
      const leaders = await (await asRoot(service))('GET', '/admin/leaderboard?type=fish&gamemode=survival')
      const { details } = await expectError(leaders, 'invalid_query')
      expect(details).toEqual([{ path: 'gamemode', message: 'Must be one of sky, earth' }])
      expect((await write(service, 'fish', SALMON, { gamemode: 'sky' })).status).toBe(201)
    })

    it('stand in its OpenAPI document wherever a request or a response has one', async () => {
      const service = await openWith(['sky', 'earth'])
      const text = await (await service.request('/openapi.json')).text()
      expect(text).not.toMatch(/oneblock|survival|factions/)
      const { paths } = JSON.parse(text)
      const schemaOf = (path: string, method: string, place: string) =>
        paths[path][method].parameters.find((one: { in: string; name: string }) => `${one.in} ${one.name}` === place)
          .schema
      const schema = { type: 'string', enum: ['sky', 'earth'] }
      expect(schemaOf('/get/fish', 'get', 'query gamemode')).toEqual(schema)
      expect(schemaOf('/post/crab', 'post', 'query gamemode')).toEqual(schema)
      expect(schemaOf('/post/crab', 'post', 'header x-gamemode')).toEqual(schema)
      expect(schemaOf('/events', 'get', 'query gamemode')).toEqual(schema)
      const contentOf = (path: string) => paths[path].get.responses[200].content['application/json'].schema.properties
      expect(contentOf('/status').gamemodes).toEqual({ type: 'array', items: schema })
      expect(contentOf('/admin/stats').crab.properties.byGamemode).toMatchObject({
        propertyNames: schema,
        required: ['sky', 'earth'],
      })
    })
  })
}
