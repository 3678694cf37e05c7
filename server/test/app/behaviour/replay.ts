import { HEADERS, type Kind, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, type PostOptions, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const YEAR = 365 * 86_400_000

async function save(service: TestService, token: BodyInit, kind: Kind = 'fish', options?: PostOptions) {
  const response = await post(service, kind, token, options)
  const { id } = (await response.json()) as Saved
  return { status: response.status, id, replayed: response.headers.get(HEADERS.replayed) }
}

/** Tests that a token is stored only once. */
export function replayBehaviour(open: OpenService): void {
  describe('a token that is sent again', () => {
    it('is replayed even a year later', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      const { id } = await save(service, token)
      service.advance(YEAR)
      expect(await save(service, token)).toEqual({ status: 200, id, replayed: 'true' })
      expect(await countAll(service)).toBe(1)
    })

    it('is stored if the first request was refused', async () => {
      const service = await open(UNLIMITED)
      const token = await encryptToken(service, SALMON)
      await expectError(await post(service, 'fish', token, { gamemode: 'moon' }), 'invalid_gamemode')
      await expectError(await post(service, 'fish', token, { gamemode: null }), 'missing_gamemode')
      expect((await save(service, token)).status).toBe(201)
      expect(await countAll(service)).toBe(1)
    })
  })

  describe('with a token TTL', () => {
    const TTL = { ...UNLIMITED, tokenTtlSeconds: 60 }

    it.each([
      ['just made', 0, 201],
      ['as old as the TTL', -60_000, 201],
      ['one second older than the TTL', -61_000, 400],
      ['60 s ahead of the clock', 60_000, 201],
      ['61 s ahead of the clock', 61_000, 400],
    ])('a token that is %s (%i ms) gets status %i', async (_, offset, status) => {
      const service = await open(TTL)
      const response = await post(service, 'fish', await encryptToken(service, SALMON, { now: service.now() + offset }))
      if (status === 400) await expectError(response, 'token_expired')
      else expect(response.status).toBe(status)
      expect(await countAll(service)).toBe(status === 201 ? 1 : 0)
    })

    it('an expired token is replayed if it was stored before it expired', async () => {
      const service = await open(TTL)
      const token = await encryptToken(service, SALMON)
      const { id } = await save(service, token)
      service.advance(3_600_000)
      expect(await save(service, token)).toEqual({ status: 200, id, replayed: 'true' })
      expect(await countAll(service)).toBe(1)
      await expectError(await post(service, 'fish', await encryptToken(service, SALMON, { now: 0 })), 'token_expired')
    })

    it('a token with a wrong signature is reported as invalid, not as expired', async () => {
      const service = await open(TTL)
      const token = await encryptToken(service, SALMON, { now: 0 })
      const swapped = token.slice(0, -10) + [...token.slice(-10)].reverse().join('')
      await expectError(await post(service, 'fish', swapped), 'invalid_token')
    })
  })
}
