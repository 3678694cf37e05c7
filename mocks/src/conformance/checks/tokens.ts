import { HEADERS, KINDS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { encrypt, entriesOf, expectNothingStored, post, SHORT_PAYLOADS } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { expectError, expectJson, expectSame, expectStatus, expectThat } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { check, checksOf } from './check.ts'

const unpadded = (token: string) => token.replace(/=+$/, '')

function raw(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (part) => part.charCodeAt(0))
}

function withFlippedBit(token: string, at: number): Uint8Array<ArrayBuffer> {
  const bytes = raw(token)
  const index = at < 0 ? bytes.length + at : at
  bytes[index] = (bytes[index] ?? 0) ^ 1
  return bytes
}

const FORMS: readonly (readonly [string, string, (token: string) => BodyInit])[] = [
  ['padded', 'with padding, as from Python', (token) => token],
  ['unpadded', 'without padding, as from Java', unpadded],
  ['newline', 'with a trailing newline', (token) => `${token}\n`],
  ['unpadded-newline', 'without padding and with a trailing newline', (token) => `${unpadded(token)}\n`],
  ['raw', 'as raw bytes', raw],
]

type MakeInvalid = (token: string, t: TestContext) => BodyInit | Promise<BodyInit>

const WRONG_KEY: MakeInvalid = async (_, t) =>
  createFernet(generateFernetKey()).encrypt(JSON.stringify(SHORT_PAYLOADS.fish), { now: await t.now() })

const INVALID: readonly (readonly [string, string, MakeInvalid])[] = [
  ['empty', 'that is empty', () => ''],
  ['no-base64', 'that is not base64', () => 'this is no token!'],
  ['short', 'that is cut short', (token) => token.slice(0, 40)],
  ['wrong-key', 'of another key', WRONG_KEY],
  ['other-user', 'of another user', async (_, t) => encrypt(t, SHORT_PAYLOADS.fish, await t.newUser())],
  ['tampered-version', 'of another version', (token) => btoa(String.fromCharCode(0x81, ...raw(token).slice(1)))],
  ['tampered-time', 'whose time was tampered with', (token) => withFlippedBit(token, 8)],
  ['tampered-iv', 'whose IV was tampered with', (token) => withFlippedBit(token, 9)],
  ['tampered-text', 'whose ciphertext was tampered with', (token) => withFlippedBit(token, 30)],
  ['tampered-mac', 'whose MAC was tampered with', (token) => withFlippedBit(token, -1)],
  ['junk-behind', 'with trailing junk', (token) => `${token}x`],
  ['wrong-padding', 'with wrong padding', (token) => `${unpadded(token)}${'='.repeat(token.endsWith('==') ? 1 : 3)}`],
  ['space-inside', 'with a space in it', (token) => `${token.slice(0, 20)} ${token.slice(20)}`],
  ['plain-json', 'that is the plain payload', () => JSON.stringify(SHORT_PAYLOADS.fish)],
]

const AT_ONCE = 8

function expectReplayed(response: ReceivedResponse, id: unknown): void {
  expectSame(expectJson(response, 200).id, id, '"id"', response)
  const replayed = response.headers.get(HEADERS.replayed)
  expectThat(replayed === 'true', `${HEADERS.replayed}: true`, replayed ?? 'none', response)
}

export const tokensChecks = checksOf('tokens', [
  ...FORMS.map(([id, what, form]) =>
    check(`token-${id}`, `A token ${what} is accepted.`, async (t) => {
      // All lengths of padding.
      for (const fish of ['S', 'Salmon with a name', 'Salmon with a name, and a longer one']) {
        const response = await post(t, 'fish', form(await encrypt(t, { fish, rarity: 3 })))
        const { id: record } = expectJson(response, 201)
        const names = (await entriesOf(t, 'fish', String(record))).map(({ name }) => name)
        expectSame(names, [fish], 'the stored names', response)
      }
    }),
  ),
  ...INVALID.map(([id, what, breakToken]) =>
    check(`token-refused-${id}`, `A token ${what} is 400 invalid_token, and nothing is stored.`, async (t) =>
      expectNothingStored(t, async () => {
        const body = await breakToken(await encrypt(t, SHORT_PAYLOADS.fish), t)
        expectError(await post(t, 'fish', body), 'invalid_token')
      }),
    ),
  ),
  check('token-refusals-are-alike', 'Invalid tokens of every kind get the same response.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.fish)
    const texts = new Set<string>()
    for (const body of ['', 'x', withFlippedBit(token, -1), withFlippedBit(token, 30), await WRONG_KEY(token, t)]) {
      const { error, code, details } = expectError(await post(t, 'fish', body), 'invalid_token')
      texts.add(JSON.stringify([error, code, details]))
    }
    expectSame(texts.size, 1, 'the number of different responses')
  }),
  check('token-each-is-stored', 'Different tokens with the same payload are all stored.', async (t) => {
    const ids = new Set<unknown>()
    for (let count = 0; count < 2; count += 1) {
      ids.add(expectJson(await post(t, 'crab', await encrypt(t, SHORT_PAYLOADS.crab)), 201).id)
    }
    expectSame(ids.size, 2, 'the number of different ids')
  }),
  ...KINDS.map((kind) =>
    check(`replay-${kind}`, `A replayed token of ${kind} is 200 with the same id, and is not stored.`, async (t) => {
      const token = await encrypt(t, SHORT_PAYLOADS[kind])
      const first = await post(t, kind, token)
      const { id } = expectJson(first, 201)
      const replayed = first.headers.get(HEADERS.replayed)
      expectThat(replayed !== 'true', `no ${HEADERS.replayed} on the first response`, replayed, first)
      for (let count = 0; count < 2; count += 1) expectReplayed(await post(t, kind, token), id)
      expectSame((await entriesOf(t, kind, String(id))).length, 1, 'the number of entries with the id')
    }),
  ),
  check('replay-in-another-spelling', 'A token without padding or as raw bytes is the same token.', async (t) => {
    const token = await encrypt(t, { fish: 'Salmon with a name', rarity: 3 })
    const { id } = expectJson(await post(t, 'fish', token), 201)
    expectReplayed(await post(t, 'fish', `${unpadded(token)}\n`), id)
    expectReplayed(await post(t, 'fish', raw(token)), id)
  }),
  check('replay-to-another-gamemode', 'A replayed token is not stored in another gamemode either.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.crab)
    const { id } = expectJson(await post(t, 'crab', token), 201)
    expectReplayed(await post(t, 'crab', token, { gamemode: 'oneblock' }), id)
    const stored = await entriesOf(t, 'crab', String(id), 'oneblock')
    expectSame(stored.length, 0, 'the number of entries in the other gamemode')
  }),
  check('replay-at-once', 'A token that is sent many times at once is stored once: a single 201.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.fish)
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => post(t, 'fish', token)))
    for (const response of responses) expectStatus(response, 200, 201)
    const created = responses.filter(({ status }) => status === 201)
    expectSame(created.length, 1, 'the number of responses 201')
    const ids = new Set(responses.map((response) => expectJson(response, response.status).id))
    expectSame(ids.size, 1, 'the number of different ids')
    const [id] = ids
    expectSame((await entriesOf(t, 'fish', String(id))).length, 1, 'the number of entries with the id')
  }),
])
