import { HEADERS, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot } from '../administration.ts'
import { countAll, encryptToken, listed, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const remove = (admin: AsAdmin, id: string, kind = 'fish', gamemode = 'earth') =>
  admin('DELETE', `/admin/users/Alex/${kind}/${encodeURIComponent(id)}?gamemode=${gamemode}`)

/** Records that administrators remove. */
export function adminRemovalBehaviour(open: OpenService): void {
  describe('a record that an administrator removes', () => {
    it('goes with all its entries, and alone', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const names = ['a', 'b', 'c']
      const ids: string[] = []
      for (const name of names) {
        const fish = [
          { name, rarity: 1 },
          { name, rarity: 2 },
        ]
        ids.push(((await (await post(service, 'fish', await encryptToken(service, { fish }))).json()) as Saved).id)
      }
      const removed = await remove(admin, ids[1] ?? '')
      expect([removed.status, await removed.text()]).toEqual([204, ''])
      expect((await listed(service)).map(({ name }) => name)).toEqual(['a', 'a', 'c', 'c'])
      await expectError(await remove(admin, ids[1] ?? ''), 'record_not_found')
      for (const id of [ids[0], ids[2]]) expect((await remove(admin, id ?? '')).status).toBe(204)
      expect(await countAll(service)).toBe(0)
    })

    it.each(['fish', 'crab'] as const)('does not come back when its token of %s is sent again', async (kind) => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const token = await encryptToken(service, kind === 'fish' ? SALMON : { fish: 'crab' })
      const { id } = (await (await post(service, kind, token)).json()) as Saved
      expect((await remove(admin, id, kind)).status).toBe(204)
      for (const spelling of [token, token.replace(/=+$/, '')]) {
        const again = await post(service, kind, spelling)
        expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true'])
        expect(((await again.json()) as Saved).id).toBe(id)
      }
      expect(await countAll(service)).toBe(0)
      expect((await post(service, 'fish', await encryptToken(service, SALMON))).status).toBe(201)
    })

    it('is only found in its own collection', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      await admin('POST', '/admin/users', { name: 'Bob' })
      const { id } = (await (await post(service, 'fish', await encryptToken(service, SALMON))).json()) as Saved
      await expectError(await remove(admin, id, 'crab'), 'record_not_found')
      await expectError(await remove(admin, id, 'fish', 'survival'), 'record_not_found')
      await expectError(await admin('DELETE', `/admin/users/Bob/fish/${id}?gamemode=earth`), 'record_not_found')
      for (const odd of ['x', '*', '%', "' or 1=1", '\0', `${id}x`, id.toUpperCase(), '💀', 'x'.repeat(2000)]) {
        await expectError(await remove(admin, odd), 'record_not_found')
      }
      expect(await countAll(service)).toBe(1)
    })

    it('is removed by one of five that try at once', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const { id } = (await (await post(service, 'fish', await encryptToken(service, SALMON))).json()) as Saved
      const responses = await Promise.all(Array.from({ length: 5 }, () => remove(admin, id)))
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
    })
  })
}
