import { HEADERS, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

/** The forms of request bodies that are refused before they are read. */
export function bodiesBehaviour(open: OpenService): void {
  describe('a body', () => {
    it('of 256 KiB is read, one byte more is payload_too_large', async () => {
      const service = await open(UNLIMITED)
      await expectError(await post(service, 'fish', 'A'.repeat(LIMITS.bodyBytes)), 'invalid_token')
      await expectError(await post(service, 'fish', 'A'.repeat(LIMITS.bodyBytes + 1)), 'payload_too_large')
      await expectError(await post(service, 'crab', new Uint8Array(LIMITS.bodyBytes + 1)), 'payload_too_large')
    })

    it('that is too large is refused by the login as well', async () => {
      const service = await open()
      const request = {
        method: 'POST',
        headers: { 'content-type': MEDIA_TYPES.json },
        body: ' '.repeat(LIMITS.bodyBytes + 1),
      }
      await expectError(await service.request('/admin/login', request), 'payload_too_large')
    })

    it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, br', 'x-unknown'])(
      'with Content-Encoding %s is refused',
      async (encoding) => {
        const service = await open(UNLIMITED)
        const headers = { 'content-encoding': encoding }
        await expectError(
          await post(service, 'fish', await encryptToken(service, SALMON), { headers }),
          'unsupported_media_type',
        )
        const login = { method: 'POST', headers: { ...headers, 'content-type': MEDIA_TYPES.json }, body: '{}' }
        await expectError(await service.request('/admin/login', login), 'unsupported_media_type')
        expect(await countAll(service)).toBe(0)
      },
    )

    it.each([
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-streams',
      'nonsense',
    ])('of type %s is no token', async (type) => {
      const service = await open(UNLIMITED)
      const response = await post(service, 'fish', await encryptToken(service, SALMON), {
        headers: { 'content-type': type },
      })
      await expectError(response, 'unsupported_media_type')
      expect(await countAll(service)).toBe(0)
    })

    it.each([
      'application/octet-stream',
      'Application/Octet-Stream',
      'application/octet-stream; charset=utf-8',
      ' application/octet-stream ;x=y',
    ])('of type %j is a token', async (type) => {
      const service = await open()
      const response = await post(service, 'fish', await encryptToken(service, SALMON), {
        headers: { 'content-type': type },
      })
      expect(response.status).toBe(201)
    })

    it('without a type is taken for a token', async () => {
      const service = await open()
      const body = new Uint8Array(Buffer.from(await encryptToken(service, SALMON)))
      const headers = { [HEADERS.gamemode]: 'earth' }
      expect((await service.request('/post/fish?name=Alex', { method: 'POST', headers, body })).status).toBe(201)
    })
  })
}
