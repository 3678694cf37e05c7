import { HEADERS, KINDS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { encrypt, entriesOf, expectNothingStored, post, SHORT_PAYLOADS } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
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

const FORMS: Readonly<Record<string, (token: string) => BodyInit>> = {
  padded: (token) => token,
  unpadded,
  newline: (token) => `${token}\n`,
  'unpadded-newline': (token) => `${unpadded(token)}\n`,
  raw,
}

type MakeInvalid = (token: string, t: TestContext) => BodyInit | Promise<BodyInit>

const WRONG_KEY: MakeInvalid = async (_, t) =>
  createFernet(generateFernetKey()).encrypt(JSON.stringify(SHORT_PAYLOADS.fish), { now: await t.now() })

const INVALID: Readonly<Record<string, MakeInvalid>> = {
  empty: () => '',
  'no-base64': () => 'this is no token!',
  short: (token) => token.slice(0, 40),
  'wrong-key': WRONG_KEY,
  'other-user': async (_, t) => encrypt(t, SHORT_PAYLOADS.fish, await t.newUser()),
  'tampered-version': (token) => btoa(String.fromCharCode(0x81, ...raw(token).slice(1))),
  'tampered-time': (token) => withFlippedBit(token, 8),
  'tampered-iv': (token) => withFlippedBit(token, 9),
  'tampered-text': (token) => withFlippedBit(token, 30),
  'tampered-mac': (token) => withFlippedBit(token, -1),
  'junk-behind': (token) => `${token}x`,
  'wrong-padding': (token) => `${unpadded(token)}${'='.repeat(token.endsWith('==') ? 1 : 3)}`,
  'space-inside': (token) => `${token.slice(0, 20)} ${token.slice(20)}`,
  'plain-json': () => JSON.stringify(SHORT_PAYLOADS.fish),
}

const AT_ONCE = 8

function expectReplayed(response: ReceivedResponse, id: unknown): void {
  expect.same(expect.json(response, 200).id, id, '"id"', response)
  const replayed = response.headers.get(HEADERS.replayed)
  expect.that(replayed === 'true', `${HEADERS.replayed}: true`, replayed ?? 'none', response)
}

export const tokensChecks = checksOf('tokens', [
  ...Object.entries(FORMS).map(([id, form]) =>
    check(`token-${id}`, `A token in the form "${id}" is accepted.`, async (t) => {
      // All lengths of padding.
      for (const fish of ['S', 'Salmon with a name', 'Salmon with a name, and a longer one']) {
        const response = await post(t, 'fish', form(await encrypt(t, { fish, rarity: 3 })))
        const { id: record } = expect.json(response, 201)
        const names = (await entriesOf(t, 'fish', String(record))).map(({ name }) => name)
        expect.same(names, [fish], 'the stored names', response)
      }
    }),
  ),
  ...Object.entries(INVALID).map(([id, breakToken]) =>
    check(`token-refused-${id}`, `A token that is wrong in "${id}" is 400 invalid_token, and not stored.`, async (t) =>
      expectNothingStored(t, async () => {
        const body = await breakToken(await encrypt(t, SHORT_PAYLOADS.fish), t)
        expect.error(await post(t, 'fish', body), 'invalid_token')
      }),
    ),
  ),
  check('token-refusals-are-alike', 'Invalid tokens of every kind get the same response.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.fish)
    const texts = new Set<string>()
    for (const body of ['', 'x', withFlippedBit(token, -1), withFlippedBit(token, 30), await WRONG_KEY(token, t)]) {
      const { error, code, details } = expect.error(await post(t, 'fish', body), 'invalid_token')
      texts.add(JSON.stringify([error, code, details]))
    }
    expect.same(texts.size, 1, 'the number of different responses')
  }),
  check('token-each-is-stored', 'Different tokens with the same payload are all stored.', async (t) => {
    const ids = new Set<unknown>()
    for (let count = 0; count < 2; count += 1) {
      ids.add(expect.json(await post(t, 'crab', await encrypt(t, SHORT_PAYLOADS.crab)), 201).id)
    }
    expect.same(ids.size, 2, 'the number of different ids')
  }),
  ...KINDS.map((kind) =>
    check(`replay-${kind}`, `A replayed token of ${kind} is 200 with the same id, and is not stored.`, async (t) => {
      const token = await encrypt(t, SHORT_PAYLOADS[kind])
      const first = await post(t, kind, token)
      const { id } = expect.json(first, 201)
      const replayed = first.headers.get(HEADERS.replayed)
      expect.that(replayed !== 'true', `no ${HEADERS.replayed} on the first response`, replayed, first)
      for (let count = 0; count < 2; count += 1) expectReplayed(await post(t, kind, token), id)
      expect.same((await entriesOf(t, kind, String(id))).length, 1, 'the number of entries with the id')
    }),
  ),
  check('replay-in-another-spelling', 'A token without padding or as raw bytes is the same token.', async (t) => {
    // Tokens of these have one, none and two characters of padding.
    for (const fish of ['Cod', 'Salmon with a name', 'Salmon with quite a long name']) {
      const token = await encrypt(t, { fish, rarity: 3 })
      const { id } = expect.json(await post(t, 'fish', token), 201)
      expectReplayed(await post(t, 'fish', `${unpadded(token)}\n`), id)
      expectReplayed(await post(t, 'fish', raw(token)), id)
    }
  }),
  check('replay-to-another-gamemode', 'A replayed token is not stored in another gamemode either.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.crab)
    const { id } = expect.json(await post(t, 'crab', token), 201)
    expectReplayed(await post(t, 'crab', token, { gamemode: 'oneblock' }), id)
    const stored = await entriesOf(t, 'crab', String(id), 'oneblock')
    expect.same(stored.length, 0, 'the number of entries in the other gamemode')
  }),
  check('replay-at-once', 'A token that is sent many times at once is stored once: a single 201.', async (t) => {
    const token = await encrypt(t, SHORT_PAYLOADS.fish)
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => post(t, 'fish', token)))
    for (const response of responses) expect.status(response, 200, 201)
    const created = responses.filter(({ status }) => status === 201)
    expect.same(created.length, 1, 'the number of responses 201')
    const ids = new Set(responses.map((response) => expect.json(response, response.status).id))
    expect.same(ids.size, 1, 'the number of different ids')
    const [id] = ids
    expect.same((await entriesOf(t, 'fish', String(id))).length, 1, 'the number of entries with the id')
  }),
])
