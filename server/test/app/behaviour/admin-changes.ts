import { HEADERS } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { asRoot, create, list, names } from '../administration.ts'
import { countAll, encryptToken, listed, post, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { basic, type OpenService, UNLIMITED } from '../test-service.ts'

/** What administrators change of users: their secrets, and whether they are there. */
export function adminChangesBehaviour(open: OpenService): void {
  describe('a reset', () => {
    it('of the Fernet key makes tokens of the old one invalid at once, and keeps the collection', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      await write(service, 'fish', SALMON)
      const response = await admin('POST', '/admin/users/ALEX/reset', { type: 'fernet' })
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      const secret = (await response.json()) as { fernetKey: string }
      expect(Object.keys(secret)).toEqual(['fernetKey'])
      await expectError(await write(service, 'fish', SALMON), 'invalid_token')
      const token = await createFernet(secret.fernetKey).encrypt(JSON.stringify(SALMON))
      expect((await post(service, 'fish', token)).status).toBe(201)
      expect(await listed(service)).toHaveLength(2)
      const headers = { authorization: basic('Alex', 'alex-password') }
      expect(await (await service.request('/get/user/key', { headers })).json()).toEqual(secret)
    })

    it.each([
      ['password', 'password'],
      ['api-key', 'apiKey'],
    ])('of the %s responses the new one alone, under %s', async (type, field) => {
      const admin = await asRoot(await open())
      const one = await (await admin('POST', '/admin/users/Alex/reset', { type })).json()
      const two = await (await admin('POST', '/admin/users/Alex/reset', { type })).json()
      expect([Object.keys(one), Object.keys(two)]).toEqual([[field], [field]])
      expect(one[field]).not.toBe(two[field])
      expect(one[field].length).toBeGreaterThanOrEqual(20)
    })

    it.each([{}, { type: 'all' }, { type: 'Password' }, { type: null }, { type: ['fernet'] }, null, 'fernet'])(
      'of %j is refused',
      async (body) => {
        const admin = await asRoot(await open())
        await expectError(await admin('POST', '/admin/users/Alex/reset', body), 'invalid_payload')
      },
    )

    it.each(['nobody', '%00', '%ff', 'a%2Fb', 'root'])(
      'for %s, whom nobody created, says user_not_found',
      async (name) => {
        const admin = await asRoot(await open())
        await expectError(await admin('POST', `/admin/users/${name}/reset`, { type: 'fernet' }), 'user_not_found')
      },
    )
  })

  describe('a deleted user', () => {
    it('is removed with its data, its secrets and its tokens', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      await write(service, 'fish', SALMON)
      const stored = await encryptToken(service, SALMON)
      await post(service, 'fish', stored)
      const deleted = await admin('DELETE', '/admin/users/ALEX')
      expect([deleted.status, await deleted.text()]).toEqual([204, ''])
      await expectError(await post(service, 'fish', stored), 'user_not_found')
      await expectError(await service.request('/get/fish?name=Alex&gamemode=earth'), 'user_not_found')
      const headers = { authorization: basic('Alex', 'alex-password') }
      await expectError(await service.request('/get/user/key', { headers }), 'invalid_credentials')
      await expectError(await admin('POST', '/admin/users/Alex/reset', { type: 'password' }), 'user_not_found')
      expect(await list(admin)).toEqual({ users: [] })
    })

    it('leaves its name to a new user, who starts empty and with secrets of its own', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const token = await encryptToken(service, SALMON)
      await post(service, 'fish', token)
      await admin('DELETE', '/admin/users/Alex')
      const heir = await create(admin, 'aLEX')
      expect(heir.id).not.toBe(service.alex.id)
      expect(heir.fernetKey).not.toBe(service.alex.fernetKey)
      expect(await countAll(service)).toBe(0)
      await expectError(await post(service, 'fish', token), 'invalid_token')
      const apiKey = { [HEADERS.apiKey]: service.alex.apiKey }
      await expectError(await post(service, 'fish', token, { query: '', headers: apiKey }), 'missing_name')
      const own = await createFernet(heir.fernetKey).encrypt(JSON.stringify(SALMON))
      expect(await (await post(service, 'fish', own)).json()).toMatchObject({ message: 'Fish saved for user aLEX' })
      expect(await countAll(service)).toBe(1)
    })

    it('is deleted by one of two that try at once', async () => {
      const service = await open()
      const admin = await asRoot(service)
      const responses = await Promise.all([admin('DELETE', '/admin/users/Alex'), admin('DELETE', '/admin/users/alex')])
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404])
    })

    it.each(['nobody', 'root', '%00', 'a%2Fb', '%2e%2e%2f', '*'])('is not %s, whom nobody created', async (name) => {
      const admin = await asRoot(await open())
      await expectError(await admin('DELETE', `/admin/users/${name}`), 'user_not_found')
      expect(names(await list(admin))).toEqual(['Alex'])
    })
  })
}
