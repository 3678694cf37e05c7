import { HEADERS, KINDS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { encrypt, entriesOf, expectEntries, expectNothingStored, post, SHORT_PAYLOADS } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const unpadded = (token: string) => token.replace(/(?<!=)=+$/, '')

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

const INVALID: Readonly<Record<string, MakeInvalid>> = {
  'one-letter': () => 'x',
  'no-base64': () => 'this is no token!',
  short: (token) => token.slice(0, 40),
  'wrong-key': async (_, t) =>
    createFernet(generateFernetKey()).encrypt(JSON.stringify(SHORT_PAYLOADS.fish), { now: await t.now() }),
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

export function expectReplayed(response: expect.ReceivedResponse, id: unknown): void {
  expect.same(expect.json(response, 200).id, id, '"id"', response)
  expect.header(response, HEADERS.replayed, 'true')
}

async function sameForEveryInvalidToken(t: TestContext, body: BodyInit): Promise<void> {
  const [{ error, details }, empty] = [
    expect.error(await post(t, 'fish', body), 'invalid_token'),
    expect.error(await post(t, 'fish', ''), 'invalid_token'),
  ]
  expect.same({ error, details }, { error: empty.error, details: empty.details }, 'the response to every invalid token')
}

export const tokensChecks = checksOf('tokens', [
  ...Object.entries(FORMS).map(([id, form]) =>
    check(
      `token-${id}`,
      `A token in the form "${id}" is stored once, even if it is sent again in another form.`,
      async (t) => {
        // These names produce tokens with every length of padding.
        for (const fish of ['S', 'Salmon with a name', 'Salmon with a name, and a longer one']) {
          const token = await encrypt(t, { fish, rarity: 3 })
          const { id: record } = expect.json(await post(t, 'fish', form(token)), 201)
          for (const other of [token, unpadded(token), raw(token)]) expectReplayed(await post(t, 'fish', other), record)
          const names = (await entriesOf(t, 'fish', String(record))).map(({ name }) => name)
          expect.same(names, [fish], 'the stored names')
        }
      },
    ),
  ),
  ...Object.entries(INVALID).map(([id, breakToken]) =>
    check(
      `token-refused-${id}`,
      `An invalid token ("${id}") gets the same 400 as every other invalid token.`,
      async (t) =>
        expectNothingStored(t, async () =>
          sameForEveryInvalidToken(t, await breakToken(await encrypt(t, SHORT_PAYLOADS.fish), t)),
        ),
    ),
  ),
  ...KINDS.map((kind) =>
    check(
      `replay-${kind}`,
      `A replayed token of ${kind} gets 200 with the same id, even for another gamemode.`,
      async (t) => {
        const token = await encrypt(t, SHORT_PAYLOADS[kind])
        const first = await post(t, kind, token)
        const { id } = expect.json(first, 201)
        const replayed = first.headers.get(HEADERS.replayed)
        expect.that(replayed !== 'true', `no ${HEADERS.replayed} on the first response`, replayed, first)
        for (const gamemode of ['earth', 'oneblock']) expectReplayed(await post(t, kind, token, { gamemode }), id)
        await expectEntries(t, kind, id, 1)
        await expectEntries(t, kind, id, 0, 'oneblock')
      },
    ),
  ),
  check(
    'replay-at-once',
    'A token that is sent many times at once is stored once and gets a single 201.',
    async (t) => {
      const token = await encrypt(t, SHORT_PAYLOADS.fish)
      const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => post(t, 'fish', token)))
      for (const response of responses) expect.status(response, 200, 201)
      const created = responses.filter(({ status }) => status === 201)
      expect.same(created.length, 1, 'the number of 201 responses')
      const ids = new Set(responses.map((response) => expect.json(response, response.status).id))
      expect.same(ids.size, 1, 'the number of different ids')
      await expectEntries(t, 'fish', [...ids][0], 1)
    },
  ),
])
