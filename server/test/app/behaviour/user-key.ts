import { HEADERS } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot, login } from '../administration.ts'
import { expectError } from '../errors.ts'
import { ADDRESS_HEADER, basic, type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const ALEX = basic('Alex', 'alex-password')
const ROOT = basic('root', 'root-password')
const WRONG = basic('Alex', 'wrong-password')

function getKey(
  service: TestService,
  authorization: string | undefined,
  query = '',
  address = '192.0.2.1',
): Promise<Response> {
  const headers = { [ADDRESS_HEADER]: address, ...(authorization === undefined ? {} : { authorization }) }
  return service.request(`/get/user/key${query}`, { headers })
}

/** The key endpoint, and the limit on failed credentials. */
export function userKeyBehaviour(open: OpenService): void {
  describe('the key of a user', () => {
    it.each([
      ['the player, with no query', ALEX, ''],
      ['the player, in any letter case', basic('ALEX', 'alex-password'), ''],
      ['the player, naming itself', ALEX, '?name=Alex'],
      ['the player, naming itself in another letter case', ALEX, '?name=aLEX'],
      ['an administrator', ROOT, '?name=Alex'],
      ['an administrator, in any letter case', basic('Root', 'root-password'), '?name=ALEX'],
      ['the player, with the scheme in lower case', ALEX.replace('Basic', 'basic'), ''],
    ])('goes to %s', async (_, authorization, query) => {
      const service = await open()
      const response = await getKey(service, authorization, query)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toContain('no-store')
      expect(await response.json()).toEqual({ fernetKey: service.alex.fernetKey })
    })

    it('decodes to 32 bytes in either base64 alphabet, since it holds none of + / - _', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const keys = [service.alex.fernetKey]
      for (let count = 0; count < 40; count += 1) {
        const reset = await admin('POST', '/admin/users/Alex/reset', { type: 'fernet' })
        keys.push(((await reset.json()) as { fernetKey: string }).fernetKey)
      }
      for (const key of keys) {
        expect(key).toMatch(/^[A-Za-z0-9]{43}=$/)
        expect(Buffer.from(key, 'base64')).toHaveLength(32)
        expect(Buffer.from(key, 'base64url').equals(Buffer.from(key, 'base64'))).toBe(true)
      }
      expect(new Set(keys).size).toBe(41)
    })

    it.each([
      ['nothing', undefined],
      ['a wrong password', WRONG],
      ['an empty password', basic('Alex', '')],
      ['a name that nobody has', basic('nobody', 'alex-password')],
      ['an empty name', basic('', 'alex-password')],
      ['the hash of the password', basic('Alex', 'plain$alex-password')],
      ['a wrong password of an administrator', basic('root', 'alex-password')],
      ['a bearer', 'Bearer abc'],
      ['no base64', 'Basic ***'],
      ['no colon', `Basic ${btoa('Alex')}`],
      ['no UTF-8', `Basic ${btoa('Al\xe9x:x')}`],
      ['an endless password', basic('Alex', 'x'.repeat(10_000))],
      ['the API key of the user', basic('Alex', 'fck_')],
      ['a name of another property', basic('__proto__', 'x')],
    ])('does not go to %s: invalid_credentials, with a challenge', async (_, authorization) => {
      const service = await open(UNLIMITED)
      for (const query of ['', '?name=Alex', '?name=nobody']) {
        const response = await getKey(service, authorization, query)
        expect(response.headers.get('www-authenticate')).toMatch(/^Basic\b/)
        await expectError(response, 'invalid_credentials')
      }
    })

    it('of another user is forbidden to players, whether that user exists or not', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      await admin('POST', '/admin/users', { name: 'Bob' })
      await expectError(await getKey(service, ALEX, '?name=Bob'), 'forbidden')
      await expectError(await getKey(service, ALEX, '?name=nobody'), 'forbidden')
      await expectError(await getKey(service, ALEX, '?name=root'), 'forbidden')
    })

    it('is not returned to an administrator without a name, nor for an unknown name', async () => {
      const service = await open(UNLIMITED)
      await expectError(await getKey(service, ROOT), 'missing_name')
      await expectError(await getKey(service, ROOT, '?name='), 'missing_name')
      await expectError(await getKey(service, ROOT, '?name=nobody'), 'user_not_found')
      await expectError(await getKey(service, ROOT, '?name=root'), 'user_not_found')
    })

    it.each([ALEX, ROOT])('is not sent where the query names two users (%#)', async (authorization) => {
      const service = await open()
      await expectError(await getKey(service, authorization, '?name=Alex&name=root'), 'user_mismatch')
      await expectError(await getKey(service, authorization, '?name=root&name=Alex'), 'user_mismatch')
      expect((await getKey(service, authorization, '?name=Alex&name=alex')).status).toBe(200)
    })

    it('does not go to a session token or an API key', async () => {
      const service = await open(UNLIMITED)
      const session = (await (await login(service, 'root', 'root-password')).json()) as { token: string }
      await expectError(await getKey(service, `Bearer ${session.token}`, '?name=Alex'), 'invalid_credentials')
      const headers = { [HEADERS.apiKey]: service.alex.apiKey }
      await expectError(await service.request('/get/user/key?name=Alex', { headers }), 'invalid_credentials')
    })

    it('follows a reset of the password at once', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const reset = await admin('POST', '/admin/users/Alex/reset', { type: 'password' })
      const { password } = (await reset.json()) as { password: string }
      await expectError(await getKey(service, ALEX), 'invalid_credentials')
      expect((await getKey(service, basic('Alex', password))).status).toBe(200)
    })
  })

  describe('failed credentials', () => {
    it('of a name are let through 10 times, then even right ones are rate_limited until the window ends', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 10; count += 1) {
        await expectError(await getKey(service, WRONG), 'invalid_credentials')
        service.advance(1000)
      }
      const refused = await getKey(service, ALEX)
      expect(refused.headers.get(HEADERS.retryAfter)).toBe('290')
      await expectError(refused, 'rate_limited')
      await expectError(await login(service, 'Alex', 'alex-password'), 'rate_limited')
      service.advance(290_000 - 1)
      await expectError(await getKey(service, ALEX), 'rate_limited')
      service.advance(1)
      expect((await getKey(service, ALEX)).status).toBe(200)
    })

    it('of the login and of the key endpoint are counted together', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 5; count += 1) {
        await getKey(service, basic('root', 'wrong-password'))
        await login(service, 'ROOT', 'wrong-password')
      }
      await expectError(await getKey(service, ROOT, '?name=Alex'), 'rate_limited')
    })

    it('of one name do not lock out the others behind the same address', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 12; count += 1) await getKey(service, WRONG)
      await expectError(await getKey(service, ALEX), 'rate_limited')
      expect((await login(service, 'root', 'root-password')).status).toBe(200)
      expect((await getKey(service, ROOT, '?name=Alex')).status).toBe(200)
    })

    it('under many names are let through 100 times, whatever the names are', async () => {
      const service = await open(UNLIMITED)
      const wrong = Array.from({ length: 150 }, (_, index) => basic(`${index % 2 ? 'guess' : '-'}${index % 50}`, 'x'))
      const responses = await Promise.all(wrong.map((authorization) => getKey(service, authorization)))
      // What nobody can be called counts as one name.
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(75 + 10)
      for (let index = 0; index < 15; index += 1) {
        await expectError(await login(service, `more-${index}`, 'x'), 'invalid_credentials')
      }
      await expectError(await login(service, 'root', 'root-password'), 'rate_limited')
      expect((await login(service, 'root', 'root-password', '192.0.2.3')).status).toBe(200)
    })

    it('of others behind the same address do not touch who proved to be somebody before', async () => {
      const service = await open(UNLIMITED)
      expect((await getKey(service, ALEX)).status).toBe(200)
      expect((await login(service, 'root', 'root-password')).status).toBe(200)
      for (let count = 0; count < 12; count += 1) {
        await getKey(service, WRONG)
        await login(service, 'root', 'wrong-password')
      }
      expect((await getKey(service, ALEX)).status).toBe(200)
      expect((await getKey(service, ROOT, '?name=Alex')).status).toBe(200)
      expect((await login(service, 'root', 'root-password')).status).toBe(200)
      await expectError(await getKey(service, WRONG), 'rate_limited')
    })

    it('do not lock out other clients, nor other endpoints', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 12; count += 1) await getKey(service, WRONG)
      expect((await getKey(service, ALEX, '', '192.0.2.2')).status).toBe(200)
      expect((await login(service, 'root', 'root-password', '192.0.2.3')).status).toBe(200)
      expect((await service.request('/status')).status).toBe(200)
    })

    it('are not counted for requests that carry right ones, or none', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 15; count += 1) {
        expect((await getKey(service, ALEX)).status).toBe(200)
        await expectError(await getKey(service, undefined), 'invalid_credentials')
        await expectError(await getKey(service, ALEX, '?name=Bob'), 'forbidden')
      }
      expect((await getKey(service, ALEX)).status).toBe(200)
    })

    it('cannot slip through at once: of 30 wrong ones 10 are looked at', async () => {
      const service = await open(UNLIMITED)
      const responses = await Promise.all(Array.from({ length: 30 }, () => getKey(service, WRONG)))
      expect(responses.filter(({ status }) => status === 401)).toHaveLength(10)
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(20)
    })

    it('count for a whole /64', async () => {
      const service = await open(UNLIMITED)
      for (let count = 0; count < 10; count += 1) await getKey(service, WRONG, '', `2001:db8::${count}`)
      await expectError(await getKey(service, ALEX, '', '2001:db8::ffff'), 'rate_limited')
    })
  })
}
