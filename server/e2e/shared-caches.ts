import { HEADERS, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { ask, newClient, postToken, readFish, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

/** Tests that no process uses stale collections or keys after any process has changed the collections or keys. */
export function describeSharedCaches({ fleet, chief, everywhere, newUser, names, size }: Shared): void {
  test('every process returns a catch as soon as any process has acknowledged the catch', async () => {
    const user = await newUser()
    for (let round = 0; round < 3 * size; round += 1) {
      const before = await everywhere((server) => readFish(server, user))
      const tags = new Set(before.map(({ headers }) => headers.get('etag') ?? ''))
      expect(tags.size).toBe(1)
      const [tag = ''] = tags
      const known = { headers: { 'if-none-match': tag } }
      for (const response of await everywhere((server) => readFish(server, user, known))) {
        expect(response.status).toBe(304)
      }

      expect((await postToken(fleet().at(round), user, await tokenOf(user, `fish ${round}`))).status).toBe(201)
      const whole = await everywhere((server) => readFish(server, user, known))
      const page = await everywhere((server) => readFish(server, user, { query: '&limit=1000' }))
      const full = await everywhere((server) => readFish(server, user, { query: '&detail=full' }))
      for (const { status, body } of [...whole, ...page, ...full]) {
        expect(status).toBe(200)
        expect(body.fish.at(-1)?.name).toBe(`fish ${round}`)
        expect(body.fish).toHaveLength(round + 1)
      }
    }
  })

  test('no process returns a record after one process has deleted the record', async () => {
    const user = await newUser()
    const { body } = await postToken(fleet().at(0), user, await tokenOf(user, 'Salmon'))
    expect(await names(user)).toEqual(Array(size).fill(['Salmon']))
    const path = `${routePath('deleteUserFish', { name: user.name, id: body.id })}?gamemode=earth`
    expect((await chief().ask(fleet().at(1), 'DELETE', path)).status).toBe(204)
    expect(await names(user)).toEqual(Array(size).fill([]))
  })

  test('every process accepts only the new Fernet key as soon as one process has replaced the old key', async () => {
    let user = await newUser()
    for (let round = 0; round < size; round += 1) {
      const [old, held] = [user, await tokenOf(user, 'held back')]
      const stored = await tokenOf(old, `fish ${round}`)
      for (const { status } of await everywhere((server) => postToken(server, old, stored))) {
        expect([200, 201]).toContain(status)
      }
      const reset = await chief().ask<{ fernetKey: string }>(
        fleet().at(round),
        'POST',
        routePath('resetUser', { name: user.name }),
        { type: 'fernet' },
      )
      user = { ...user, ...reset.body }
      for (const { status, body } of await everywhere((server) => postToken(server, old, held))) {
        expect([status, body.code]).toEqual([400, 'invalid_token'])
      }
      const fresh = await everywhere(async (server) => postToken(server, user, await tokenOf(user, 'new key')))
      expect(fresh.map(({ status }) => status)).toEqual(Array(size).fill(201))
    }
  })

  test('every process accepts only the new API key as soon as one process has replaced the old key', async () => {
    const old = await newUser()
    const isCounted = async (server: { readonly url: string }, apiKey: string) => {
      const headers = { ...newClient(), [HEADERS.apiKey]: apiKey }
      return (await ask(server, ROUTES.demoFish.path, { headers })).headers.has(HEADERS.rateLimit)
    }
    expect(await everywhere((server) => isCounted(server, old.apiKey))).toEqual(Array(size).fill(false))
    const path = routePath('resetUser', { name: old.name })
    const { body } = await chief().ask<{ apiKey: string }>(fleet().at(1), 'POST', path, { type: 'api-key' })
    expect(await everywhere((server) => isCounted(server, old.apiKey))).toEqual(Array(size).fill(true))
    expect(await everywhere((server) => isCounted(server, body.apiKey))).toEqual(Array(size).fill(false))
  })
}
