import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { entriesOf, expectNothingStored, post, SHORT, seal } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectError, expectJson } from '../context/expect-answer.ts'
import { expectSame } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const unpadded = (token: string) => token.replace(/=+$/, '')

/** The bytes of a token. */
function raw(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(token.replaceAll('-', '+').replaceAll('_', '/')), (part) => part.charCodeAt(0))
}

/** The token with one bit of one byte turned over. */
function tampered(token: string, at: number): Uint8Array<ArrayBuffer> {
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

type Break = (token: string, world: World) => BodyInit | Promise<BodyInit>

const WRONG_KEY: Break = async (_, world) =>
  createFernet(generateFernetKey()).encrypt(JSON.stringify(SHORT.fish), { now: await world.now() })

const BROKEN: readonly (readonly [string, string, Break])[] = [
  ['empty', 'that is empty', () => ''],
  ['no-base64', 'that is no base64', () => 'this is no token!'],
  ['short', 'that is cut short', (token) => token.slice(0, 40)],
  ['wrong-key', 'of another key', WRONG_KEY],
  ['other-user', 'of another user', async (_, world) => seal(world, SHORT.fish, await world.newUser())],
  ['tampered-version', 'of another version', (token) => btoa(String.fromCharCode(0x81, ...raw(token).slice(1)))],
  ['tampered-time', 'whose time was tampered with', (token) => tampered(token, 8)],
  ['tampered-iv', 'whose IV was tampered with', (token) => tampered(token, 9)],
  ['tampered-text', 'whose ciphertext was tampered with', (token) => tampered(token, 30)],
  ['tampered-mac', 'whose MAC was tampered with', (token) => tampered(token, -1)],
  ['junk-behind', 'with junk behind it', (token) => `${token}x`],
  [
    'wrong-padding',
    'with too little padding',
    (token) => `${unpadded(token)}${'='.repeat(token.endsWith('==') ? 1 : 3)}`,
  ],
  ['space-inside', 'with a space in it', (token) => `${token.slice(0, 20)} ${token.slice(20)}`],
  ['plain-json', 'that is the plain payload', () => JSON.stringify(SHORT.fish)],
]

const rows: readonly CheckRow[] = [
  ...FORMS.map(
    ([id, what, form]): CheckRow => [
      `token-${id}`,
      `A token ${what} is taken.`,
      async (world) => {
        // Every length of padding there is.
        for (const fish of ['S', 'Salmon with a name', 'Salmon with a name, and a longer one']) {
          const answer = await post(world, 'fish', form(await seal(world, { fish, rarity: 3 })))
          const { id: record } = expectJson(answer, 201)
          const names = (await entriesOf(world, 'fish', String(record))).map(({ name }) => name)
          expectSame(names, [fish], 'the stored names', answer)
        }
      },
    ],
  ),
  ...BROKEN.map(
    ([id, what, breakToken]): CheckRow => [
      `token-refused-${id}`,
      `A token ${what} is 400 invalid_token, and nothing is stored.`,
      async (world) =>
        expectNothingStored(world, async () => {
          const body = await breakToken(await seal(world, SHORT.fish), world)
          expectError(await post(world, 'fish', body), 'invalid_token')
        }),
    ],
  ),
  [
    'token-refusals-are-alike',
    'Empty, malformed, tampered tokens and those of a wrong key get one and the same answer.',
    async (world) => {
      const token = await seal(world, SHORT.fish)
      const texts = new Set<string>()
      for (const body of ['', 'x', tampered(token, -1), tampered(token, 30), await WRONG_KEY(token, world)]) {
        const { error, code, details } = expectError(await post(world, 'fish', body), 'invalid_token')
        texts.add(JSON.stringify([error, code, details]))
      }
      expectSame(texts.size, 1, 'the number of different answers')
    },
  ],
  [
    'token-each-is-stored',
    'Tokens of one payload differ, and each is stored.',
    async (world) => {
      const ids = new Set<unknown>()
      for (let count = 0; count < 2; count += 1) {
        ids.add(expectJson(await post(world, 'crab', await seal(world, SHORT.crab)), 201).id)
      }
      expectSame(ids.size, 2, 'the number of different ids')
    },
  ],
]

/** What is taken for a Fernet token. */
export const tokensChecks = checksOf('tokens', rows)
