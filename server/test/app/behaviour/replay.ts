import { HEADERS, type Kind, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, listed, type PostOptions, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const YEAR = 365 * 86_400_000

async function save(service: TestService, token: BodyInit, kind: Kind = 'fish', options?: PostOptions) {
  const response = await post(service, kind, token, options)
  const { id } = (await response.json()) as Saved
  return { status: response.status, id, replayed: response.headers.get(HEADERS.replayed) }
}

/** A token is stored once. */
export function replayBehaviour(open: OpenService): void {
  describe('a token that is sent again', () => {
    it('gets 200 with the same id and message, marked as replayed, and is stored once', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, {
        fish: [
          { name: 'Cod', rarity: 1 },
          { name: 'Koi', rarity: 2 },
        ],
      })
      const first = await post(service, 'fish', token)
      expect([first.status, first.headers.has(HEADERS.replayed)]).toEqual([201, false])
      const again = await post(service, 'fish', token)
      expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true'])
      expect(await again.json()).toEqual(await first.json())
      expect(await countAll(service)).toBe(2)
    })

    it('is replayed in every spelling of the token', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, { fish: 'Sal', rarity: 3 })
      const { id } = await save(service, token)
      const bytes = new Uint8Array(Buffer.from(token, 'base64url'))
      for (const spelling of [token, token.replace(/=+$/, ''), `${token}\n`, `${token}\r\n`, bytes]) {
        expect(await save(service, spelling)).toEqual({ status: 200, id, replayed: 'true' })
      }
      expect(await countAll(service)).toBe(1)
    })

    it('is replayed in whichever gamemode and kind it is sent to', async () => {
      const service = await open(UNLIMITED)
      // Each path reads the list of its own kind.
      const token = await encryptToken(service, { fish: [{ name: 'Salmon', rarity: 3 }], crab: [{}] })
      const { id } = await save(service, token)
      for (const kind of ['fish', 'crab'] as const) {
        for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) {
          expect(await save(service, token, kind, { gamemode })).toEqual({ status: 200, id, replayed: 'true' })
        }
      }
      expect(await countAll(service)).toBe(1)
    })

    it('is replayed a year later', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      const { id } = await save(service, token)
      service.advance(YEAR)
      expect(await save(service, token)).toEqual({ status: 200, id, replayed: 'true' })
      expect(await countAll(service)).toBe(1)
    })

    it('64 times at once is stored once, with one id for all', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      const responses = await Promise.all(
        Array.from({ length: 64 }, (_, turn) =>
          save(service, token, 'fish', { gamemode: turn % 2 ? 'earth' : 'survival' }),
        ),
      )
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(responses.filter(({ status, replayed }) => status === 200 && replayed === 'true')).toHaveLength(63)
      expect(new Set(responses.map(({ id }) => id)).size).toBe(1)
      expect(await countAll(service)).toBe(1)
    })

    it('is stored when its first sending was refused', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      await expectError(await post(service, 'fish', token, { gamemode: 'moon' }), 'invalid_gamemode')
      await expectError(await post(service, 'fish', token, { gamemode: null }), 'missing_gamemode')
      expect((await save(service, token)).status).toBe(201)
      expect(await countAll(service)).toBe(1)
    })
  })

  describe('equal catches in tokens of their own', () => {
    it('are stored each, under ids of their own, in the order they came', async () => {
      const service = await open(UNLIMITED)
      const ids: string[] = []
      for (let count = 0; count < 5; count += 1) ids.push((await save(service, await encryptToken(service, SALMON))).id)
      const stored = await listed(service, 'fish', '&gamemode=earth&detail=full')
      expect(stored.map(({ id }) => id)).toEqual(ids)
      expect(new Set(ids).size).toBe(5)
    })

    it('are stored each when 64 come at once', async () => {
      const service = await open(UNLIMITED)
      const tokens = await Promise.all(Array.from({ length: 64 }, () => encryptToken(service, SALMON)))
      const responses = await Promise.all(tokens.map((token) => save(service, token)))
      expect(new Set(responses.map(({ id }) => id)).size).toBe(64)
      expect(await countAll(service)).toBe(64)
    })
  })

  describe('with a token TTL', () => {
    const TTL = { ...UNLIMITED, tokenTtlSeconds: 60 }

    it.each([
      ['just made', 0, 201],
      ['as old as the TTL', -60_000, 201],
      ['a second older', -61_000, 400],
      ['60 s ahead of the clock', 60_000, 201],
      ['61 s ahead of the clock', 61_000, 400],
    ])('a token %s (%i ms) is answered %i', async (_, offset, status) => {
      const service = await open(TTL)
      const response = await post(service, 'fish', await encryptToken(service, SALMON, { now: service.now() + offset }))
      if (status === 400) await expectError(response, 'token_expired')
      else expect(response.status).toBe(status)
      expect(await countAll(service)).toBe(status === 201 ? 1 : 0)
    })

    it('an expired token that was stored in time is replayed', async () => {
      const service = await open(TTL)
      const token = await encryptToken(service, SALMON)
      const { id } = await save(service, token)
      service.advance(3_600_000)
      expect(await save(service, token)).toEqual({ status: 200, id, replayed: 'true' })
      expect(await countAll(service)).toBe(1)
      await expectError(await post(service, 'fish', await encryptToken(service, SALMON, { now: 0 })), 'token_expired')
    })

    it('a token of another key is invalid, not expired', async () => {
      const service = await open(TTL)
      const token = await encryptToken(service, SALMON, { now: 0 })
      const swapped = token.slice(0, -10) + [...token.slice(-10)].reverse().join('')
      await expectError(await post(service, 'fish', swapped), 'invalid_token')
    })
  })
}
