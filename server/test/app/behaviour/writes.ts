import { GAMEMODES, HEADERS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { countAll, encryptToken, listed, post, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const raw = (token: string) => new Uint8Array(Buffer.from(token, 'base64url'))
const unpadded = (token: string) => token.replace(/=+$/, '')

async function changed(token: string, change: (bytes: Uint8Array) => void): Promise<string> {
  const bytes = raw(token)
  change(bytes)
  return Buffer.from(bytes).toString('base64url')
}

const BROKEN: Readonly<Record<string, (token: string, service: TestService) => Promise<BodyInit> | BodyInit>> = {
  empty: () => '',
  'a newline': () => '\n',
  'no base64': () => '{"fish":"Salmon","rarity":3}',
  'one byte 0x80': () => new Uint8Array([0x80]),
  'bytes of noise': () => new Uint8Array(200).fill(0xff),
  'raw noise behind 0x80': () => new Uint8Array(73 + 16).fill(0x80),
  'cut short': (token) => token.slice(0, 40),
  'cut by a block': (token) => Buffer.from(raw(token).slice(0, -16)).toString('base64url'),
  'wrongly padded': (token) => `${unpadded(token)}===`,
  'of the standard alphabet': () => Buffer.from(new Uint8Array(120).fill(0xfb)).toString('base64'),
  'with a space before': (token) => ` ${token}`,
  'with a space within': (token) => `${token.slice(0, 20)} ${token.slice(20)}`,
  'with two newlines': (token) => `${token}\n\n`,
  'with a byte order mark': (token) => `\ufeff${token}`,
  'in quotes': (token) => `"${token}"`,
  'of two tokens': (token) => `${token}\n${token}`,
  'of another version': (token) => changed(token, (bytes) => bytes.fill(0x81, 0, 1)),
  'with another timestamp': (token) => changed(token, (bytes) => bytes.fill(1, 1, 9)),
  'with another IV': (token) => changed(token, (bytes) => bytes.fill(1, 9, 25)),
  'with another ciphertext': (token) => changed(token, (bytes) => bytes.fill(1, 25, 41)),
  'with another MAC': (token) => changed(token, (bytes) => bytes.fill(1, bytes.length - 32)),
  'of another key': () => createFernet(generateFernetKey()).encrypt(JSON.stringify(SALMON)),
  'raw with a newline behind': (token) => new Uint8Array([...raw(token), 10]),
}

/** Writing: whose token, of which gamemode, in which form. */
export function writesBehaviour(open: OpenService): void {
  describe('a write', () => {
    it.each([
      ['padded, as from Python', (token: string) => token],
      ['unpadded, as from Java', unpadded],
      ['with a trailing \\n', (token: string) => `${token}\n`],
      ['with a trailing \\r\\n', (token: string) => `${unpadded(token)}\r\n`],
      ['as raw bytes', raw],
    ])('takes a token %s', async (_, form) => {
      const service = await open(UNLIMITED)
      // Both lengths of padding there are, and none.
      for (const name of ['S', 'Salmon', 'Salmon with a long name', 'x'.repeat(40)]) {
        const response = await post(service, 'fish', form(await encryptToken(service, { fish: name, rarity: 3 })))
        expect(response.status).toBe(201)
        expect(await response.json()).toEqual({
          message: 'Fish saved for user Alex',
          id: expect.stringMatching(/^\S+$/),
        })
      }
      expect(await listed(service)).toHaveLength(4)
    })

    it('gives every invalid token the same response, and stores none', async () => {
      const service = await open(UNLIMITED)
      const responses = new Set<string>()
      for (const [what, breakToken] of Object.entries(BROKEN)) {
        const body = await breakToken(await encryptToken(service, SALMON), service)
        for (const kind of ['fish', 'crab'] as const) {
          const { error, details, code } = await expectError(await post(service, kind, body), 'invalid_token')
          responses.add(JSON.stringify({ error, details, code }))
          expect([what, responses.size]).toEqual([what, 1])
        }
      }
      expect(await countAll(service)).toBe(0)
    })

    it('takes no token without a body at all', async () => {
      const service = await open()
      const response = await service.request('/post/fish?name=Alex', {
        method: 'POST',
        headers: { [HEADERS.gamemode]: 'earth' },
      })
      await expectError(response, 'invalid_token')
    })

    it.each(['Alex', 'ALEX', 'alex'])('finds the user by ?name=%s and names it as created', async (name) => {
      const service = await open()
      const response = await write(service, 'crab', { fish: 'crab' }, { query: `?name=${name}` })
      expect(await response.json()).toMatchObject({ message: 'Crab saved for user Alex' })
    })

    it('is for the owner of the personal API key where no name is given', async () => {
      const service = await open()
      const headers = { [HEADERS.apiKey]: service.alex.apiKey }
      expect((await write(service, 'fish', SALMON, { query: '', headers })).status).toBe(201)
      expect((await write(service, 'fish', SALMON, { query: '?name=', headers })).status).toBe(201)
      expect(await listed(service)).toHaveLength(2)
    })

    it('is for the named user, whoever owns the API key', async () => {
      const service = await open()
      const headers = { [HEADERS.apiKey]: service.alex.apiKey }
      await expectError(await write(service, 'fish', SALMON, { query: '?name=nobody', headers }), 'user_not_found')
    })

    it.each(['', '?name=', '?user=Alex', '?Name=Alex'])(
      'without a user (%j) says missing_name, whatever the payload says',
      async (query) => {
        const service = await open()
        const payload = { user: 'Alex', gamemode: 'earth', fish: [{ name: 'Cod', rarity: 1 }] }
        await expectError(await write(service, 'fish', payload, { query }), 'missing_name')
        const headers = { [HEADERS.apiKey]: 'invalid' }
        await expectError(await write(service, 'fish', payload, { query, headers }), 'missing_name')
      },
    )

    it.each(['nobody', '-', 'x'.repeat(33), '%00', '__proto__', 'root'])(
      'for %s, whom nobody created, says user_not_found',
      async (name) => {
        const service = await open()
        await expectError(await write(service, 'fish', SALMON, { query: `?name=${name}` }), 'user_not_found')
      },
    )

    it.each(GAMEMODES)('goes to gamemode %s wherever it is said', async (gamemode) => {
      const service = await open(UNLIMITED)
      const ways = [
        await write(service, 'fish', SALMON, { gamemode }),
        await write(service, 'fish', SALMON, { gamemode: null, query: `?name=Alex&gamemode=${gamemode}` }),
        await write(service, 'fish', { ...SALMON, gamemode }, { gamemode: null }),
        await write(service, 'fish', { gamemode, fish: [{ name: 'Cod', rarity: 1 }] }, { gamemode: null }),
        await write(service, 'fish', { ...SALMON, gamemode }, { gamemode, query: `?name=Alex&gamemode=${gamemode}` }),
      ]
      expect(ways.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
      expect(await listed(service, 'fish', `&gamemode=${gamemode}`)).toHaveLength(5)
      expect(await countAll(service)).toBe(5)
    })

    it('without any gamemode says missing_gamemode', async () => {
      const service = await open(UNLIMITED)
      await expectError(await write(service, 'fish', SALMON, { gamemode: null }), 'missing_gamemode')
      await expectError(await write(service, 'crab', { fish: 'crab' }, { gamemode: '' }), 'missing_gamemode')
      expect(await countAll(service)).toBe(0)
    })

    it.each(['Earth', 'moon', 'earth, earth', 'earth earth', '__proto__'])(
      'to gamemode %j says invalid_gamemode wherever it is said',
      async (gamemode) => {
        const service = await open(UNLIMITED)
        const query = `?name=Alex&gamemode=${encodeURIComponent(gamemode)}`
        await expectError(await write(service, 'fish', SALMON, { gamemode }), 'invalid_gamemode')
        await expectError(await write(service, 'fish', SALMON, { gamemode: null, query }), 'invalid_gamemode')
        await expectError(await write(service, 'fish', SALMON, { gamemode: 'earth', query }), 'invalid_gamemode')
        await expectError(await write(service, 'fish', { ...SALMON, gamemode }, { gamemode: null }), 'invalid_gamemode')
        expect(await countAll(service)).toBe(0)
      },
    )

    it('that says two gamemodes is refused, whichever two places say them', async () => {
      const service = await open(UNLIMITED)
      const query = '?name=Alex&gamemode=survival'
      const inPayload = { ...SALMON, gamemode: 'factions' }
      await expectError(await write(service, 'fish', SALMON, { query }), 'gamemode_mismatch')
      await expectError(await write(service, 'fish', inPayload), 'gamemode_mismatch')
      await expectError(await write(service, 'fish', inPayload, { gamemode: null, query }), 'gamemode_mismatch')
      await expectError(await write(service, 'crab', { fish: 'crab', gamemode: 'factions' }), 'gamemode_mismatch')
      const twice = '?name=Alex&gamemode=earth&gamemode=survival'
      await expectError(await write(service, 'fish', SALMON, { query: twice }), 'gamemode_mismatch')
      await expectError(await write(service, 'fish', SALMON, { gamemode: null, query: twice }), 'gamemode_mismatch')
      expect(await countAll(service)).toBe(0)
    })

    it('whose query names two users is refused, whoever owns the API key', async () => {
      const service = await open(UNLIMITED)
      const headers = { [HEADERS.apiKey]: service.alex.apiKey }
      for (const query of ['?name=Alex&name=Bob', '?name=Bob&name=Alex', '?name=&name=Alex&name=Bob']) {
        await expectError(await write(service, 'fish', SALMON, { query }), 'user_mismatch')
        await expectError(await write(service, 'crab', { fish: 'crab' }, { query, headers }), 'user_mismatch')
      }
      expect(await countAll(service)).toBe(0)
    })

    it('whose query says the same twice is stored', async () => {
      const service = await open()
      const query = '?name=Alex&name=ALEX&name=&gamemode=earth&gamemode=earth'
      expect((await write(service, 'fish', SALMON, { query })).status).toBe(201)
    })

    it.each(['Bob', 'alexx', '', 'Alex '])('whose payload names the user %j is refused', async (user) => {
      const service = await open(UNLIMITED)
      await expectError(await write(service, 'fish', { user, fish: [{ name: 'Cod', rarity: 1 }] }), 'user_mismatch')
      await expectError(await write(service, 'crab', { user, fish: 'crab' }), 'user_mismatch')
      expect(await countAll(service)).toBe(0)
    })

    it.each(['Alex', 'ALEX'])('whose payload names the user %s, in any letter case, is stored', async (user) => {
      const service = await open()
      expect(
        (await write(service, 'fish', { user, gamemode: 'earth', fish: [{ name: 'Cod', rarity: 1 }] })).status,
      ).toBe(201)
    })

    it.each([
      ['fish', { fish: [{ name: 'Cod', rarity: 1 }] }, 'Fish saved for user Alex'],
      ['fish', { fish: Array.from({ length: 3 }, () => ({ name: 'Cod', rarity: 1 })) }, '3 fish saved for user Alex'],
      ['crab', { crab: [{}] }, 'Crab saved for user Alex'],
      ['crab', { crab: [{}, {}] }, '2 crabs saved for user Alex'],
    ] as const)('of %s tells how many were saved', async (kind, payload, message) => {
      const service = await open()
      expect(await (await write(service, kind, payload)).json()).toEqual({ message, id: expect.any(String) })
    })
  })
}
