import { fishCollectionSchema } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, listed, post, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const DETAIL = '&gamemode=earth&detail=full'
const caught = (caughtAt: unknown) => ({ fish: [{ name: 'Cod', rarity: 1, caughtAt }] })

/** A token of Alex's with any 64-bit timestamp, made by hand: no library writes such ones. */
async function tokenAt(fernetKey: string, seconds: bigint, payload: unknown): Promise<string> {
  const key = Buffer.from(fernetKey, 'base64')
  const iv = crypto.getRandomValues(new Uint8Array(16))
  const aes = await crypto.subtle.importKey('raw', key.subarray(16), 'AES-CBC', false, ['encrypt'])
  const plain = new TextEncoder().encode(JSON.stringify(payload))
  const cipher = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, aes, plain))
  const head = new DataView(new ArrayBuffer(9))
  head.setUint8(0, 0x80)
  head.setBigUint64(1, seconds)
  const signed = Buffer.concat([new Uint8Array(head.buffer), iv, cipher])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const signing = await crypto.subtle.importKey('raw', key.subarray(0, 16), hmac, false, ['sign'])
  return Buffer.concat([signed, new Uint8Array(await crypto.subtle.sign('HMAC', signing, signed))]).toString(
    'base64url',
  )
}

/** When a catch was: the payload's own word, else the token's. */
export function momentsBehaviour(open: OpenService): void {
  describe('the moment of a catch', () => {
    it.each([
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
      ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
      ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
      ['2026-01-02T03:04:05.500-05:30', '2026-01-02T08:34:05.500Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
      ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ])('given as %s is answered as %s', async (caughtAt, normalised) => {
      const service = await open(UNLIMITED)
      expect((await write(service, 'fish', caught(caughtAt))).status).toBe(201)
      expect((await write(service, 'crab', { crab: [{ caughtAt }] })).status).toBe(201)
      expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(normalised)
      expect((await listed(service, 'crab', DETAIL))[0]?.caughtAt).toBe(normalised)
      expect(await listed(service)).toEqual([{ name: 'Cod', rarity: 'Bronze' }])
    })

    it.each([
      ...['', 'yesterday', '2026-01-02', '2026-01-02 03:04:05Z', '2026-01-02T03:04:05', '2026-13-01T00:00:00Z'],
      ...['2025-02-29T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z', '+012026-01-01T00:00:00Z'],
      ...['20260102T030405Z', '2026-01-02T03:04:05+25:00', '1767322800', 1_767_322_800, null, {}],
    ])('given as %j is refused', async (caughtAt) => {
      const service = await open(UNLIMITED)
      const { details } = await expectError(await write(service, 'fish', caught(caughtAt)), 'invalid_payload')
      expect(details?.map(({ path }) => path)).toEqual(['fish.0.caughtAt'])
      await expectError(await write(service, 'crab', { crab: [{ caughtAt }] }), 'invalid_payload')
      expect(await countAll(service)).toBe(0)
    })

    it.each(['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])(
      'given as %s, for which UTC has no four-digit year, is refused or returned in the documented form',
      async (caughtAt) => {
        const service = await open(UNLIMITED)
        const { status } = await write(service, 'fish', caught(caughtAt))
        expect([201, 400]).toContain(status)
        const response = await service.request(`/get/fish?name=Alex${DETAIL}`)
        expect(fishCollectionSchema.safeParse(await response.json()).success).toBe(true)
      },
    )

    it.each([
      [0n, '1970-01-01T00:00:00.000Z'],
      [1_767_225_599n, '2025-12-31T23:59:59.000Z'],
      [253_402_300_799n, '9999-12-31T23:59:59.000Z'],
    ])('is the timestamp %s of the token where the payload names none', async (seconds, moment) => {
      const service = await open(UNLIMITED)
      expect((await post(service, 'fish', await tokenAt(service.alex.fernetKey, seconds, SALMON))).status).toBe(201)
      expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(moment)
    })

    it.each([253_402_300_800n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])(
      'is the time of the request where the token names %s, which no calendar holds',
      async (seconds) => {
        const service = await open(UNLIMITED)
        expect((await post(service, 'fish', await tokenAt(service.alex.fernetKey, seconds, SALMON))).status).toBe(201)
        expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(new Date(service.now()).toISOString())
      },
    )

    it('does not matter for taking the token, however wrong the clock of the player is', async () => {
      const service = await open(UNLIMITED)
      for (const now of [0, service.now() - 10 * 365 * 86_400_000, service.now() + 10 * 365 * 86_400_000]) {
        expect((await post(service, 'crab', await encryptToken(service, { fish: 'crab' }, { now }))).status).toBe(201)
      }
    })
  })
}
