import { type CreatedUser, HEADERS, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from '../administration.ts'
import { countAll, post, SALMON, seal } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type Lane, UNLIMITED, type World } from '../lane.ts'

const BATCH = { fish: Array.from({ length: 3 }, () => ({ name: 'Cod', rarity: 1 })) }

async function expectReplay(world: World, token: BodyInit, id: string): Promise<void> {
  const response = await post(world, 'fish', token)
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, 'true'])
  expect(((await response.json()) as Saved).id).toBe(id)
}

async function save(world: World, token: string): Promise<string> {
  const response = await post(world, 'fish', token)
  expect(response.status).toBe(201)
  return ((await response.json()) as Saved).id
}

/** Copies of a token that differ from it in one place each. */
function tampered(token: string): string[] {
  const places = [0, 1, 12, 30, Math.floor(token.length / 2), token.replace(/=+$/, '').length - 2]
  const flipped = places.map((at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1))
  return [...flipped, token.slice(0, -4), `${token}AAAA`, token.slice(4), token.toLowerCase()]
}

/** A token that was stored is a replay, also when it would be refused by now. */
export function lateReplayBehaviour(open: Lane): void {
  describe('a token that was stored', () => {
    it('is a replay after a reset of the Fernet key, in every spelling; a tampered copy is invalid', async () => {
      const world = await open(UNLIMITED)
      const admin = await asRoot(world)
      const token = await seal(world, BATCH)
      const id = await save(world, token)
      const unsent = await seal(world, SALMON)
      for (let turn = 0; turn < 2; turn += 1) {
        expect((await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })).status).toBe(200)
        const bytes = new Uint8Array(Buffer.from(token, 'base64url'))
        for (const spelling of [token, token.replace(/=+$/, ''), `${token}\n`, bytes]) {
          await expectReplay(world, spelling, id)
        }
        for (const copy of tampered(token)) await expectError(await post(world, 'fish', copy), 'invalid_token')
        await expectError(await post(world, 'fish', unsent), 'invalid_token')
      }
      expect(await countAll(world)).toBe(3)
    })

    it('is a replay when it has expired since, also under a key that was replaced', async () => {
      const world = await open({ ...UNLIMITED, tokenTtlSeconds: 60 })
      const admin = await asRoot(world)
      const token = await seal(world, BATCH)
      const unsent = await seal(world, SALMON)
      const id = await save(world, token)
      world.advance(61_000)
      await expectReplay(world, token, id)
      await expectError(await post(world, 'fish', unsent), 'token_expired')
      for (const copy of tampered(token)) await expectError(await post(world, 'fish', copy), 'invalid_token')
      await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })
      await expectReplay(world, token, id)
      await expectError(await post(world, 'fish', unsent), 'invalid_token')
      for (const copy of tampered(token)) await expectError(await post(world, 'fish', copy), 'invalid_token')
      expect(await countAll(world)).toBe(3)
    })

    it('is no replay for another user, nor for one who has the name anew', async () => {
      const world = await open(UNLIMITED)
      const admin = await asRoot(world)
      const bob = (await (await admin('POST', '/admin/users', { name: 'Bob' })).json()) as CreatedUser
      const token = await seal(world, SALMON)
      await save(world, token)
      await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })
      await expectError(await post(world, 'fish', token, { query: `?name=${bob.name}` }), 'invalid_token')
      await admin('DELETE', '/admin/users/Alex')
      await expectError(await post(world, 'fish', token), 'user_not_found')
      await admin('POST', '/admin/users', { name: 'Alex' })
      await expectError(await post(world, 'fish', token), 'invalid_token')
    })
  })
}
