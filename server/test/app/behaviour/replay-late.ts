import { type CreatedUser, HEADERS, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { countAll, encryptToken, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const BATCH = { fish: Array.from({ length: 3 }, () => ({ name: 'Cod', rarity: 1 })) }

async function expectReplay(service: TestService, token: BodyInit, id: string): Promise<void> {
  const response = await post(service, 'fish', token)
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, 'true'])
  expect(((await response.json()) as Saved).id).toBe(id)
}

async function save(service: TestService, token: string): Promise<string> {
  const response = await post(service, 'fish', token)
  expect(response.status).toBe(201)
  return ((await response.json()) as Saved).id
}

/** Copies of a token, each with one changed part. */
function tampered(token: string): string[] {
  const places = [0, 1, 12, 30, Math.floor(token.length / 2), token.replace(/=+$/, '').length - 2]
  const flipped = places.map((at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
  return [...flipped, token.slice(0, -4), `${token}AAAA`, token.slice(4), token.toLowerCase()]
}

/** Tests that a stored token is still replayed after its TTL or after a reset of its key. */
export function lateReplayBehaviour(open: OpenService): void {
  describe('a stored token', () => {
    it('is replayed in every encoding after a reset of the Fernet key, but a tampered copy is invalid', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const token = await encryptToken(service, BATCH)
      const id = await save(service, token)
      const unsent = await encryptToken(service, SALMON)
      for (let turn = 0; turn < 2; turn += 1) {
        expect((await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })).status).toBe(200)
        const bytes = new Uint8Array(Buffer.from(token, 'base64url'))
        for (const spelling of [token, token.replace(/=+$/, ''), `${token}\n`, bytes]) {
          await expectReplay(service, spelling, id)
        }
        for (const copy of tampered(token)) await expectError(await post(service, 'fish', copy), 'invalid_token')
        await expectError(await post(service, 'fish', unsent), 'invalid_token')
      }
      expect(await countAll(service)).toBe(3)
    })

    it('is replayed after it expires, even if the key of the user was replaced', async () => {
      const service = await open({ ...UNLIMITED, tokenTtlSeconds: 60 })
      const admin = await asRoot(service)
      const token = await encryptToken(service, BATCH)
      const unsent = await encryptToken(service, SALMON)
      const id = await save(service, token)
      service.advance(61_000)
      await expectReplay(service, token, id)
      await expectError(await post(service, 'fish', unsent), 'token_expired')
      for (const copy of tampered(token)) await expectError(await post(service, 'fish', copy), 'invalid_token')
      await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })
      await expectReplay(service, token, id)
      await expectError(await post(service, 'fish', unsent), 'invalid_token')
      for (const copy of tampered(token)) await expectError(await post(service, 'fish', copy), 'invalid_token')
      expect(await countAll(service)).toBe(3)
    })

    it('is not replayed for another user or for a new user with the same name', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const bob = (await (await admin('POST', '/admin/users', { name: 'Bob' })).json()) as CreatedUser
      const token = await encryptToken(service, SALMON)
      await save(service, token)
      await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })
      await expectError(await post(service, 'fish', token, { query: `?name=${bob.name}` }), 'invalid_token')
      await admin('DELETE', '/admin/users/Alex')
      await expectError(await post(service, 'fish', token), 'user_not_found')
      await admin('POST', '/admin/users', { name: 'Alex' })
      await expectError(await post(service, 'fish', token), 'invalid_token')
    })
  })
}
