import { HEADERS, KINDS } from '@fish-crab/sdk/contract'
import type { Answer } from '../context/answer.ts'
import { entriesOf, post, SHORT, seal } from '../context/catches.ts'
import { expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const AT_ONCE = 8

function expectReplayed(answer: Answer, id: unknown): void {
  expectSame(expectJson(answer, 200).id, id, '"id"', answer)
  const replayed = answer.headers.get(HEADERS.replayed)
  expectThat(replayed === 'true', `${HEADERS.replayed}: true`, replayed ?? 'none', answer)
}

const rows: readonly CheckRow[] = [
  ...KINDS.map(
    (kind): CheckRow => [
      `replay-${kind}`,
      `The same token of ${kind} again is 200 with the same id and ${HEADERS.replayed}: true, and nothing is stored.`,
      async (world) => {
        const token = await seal(world, SHORT[kind])
        const first = await post(world, kind, token)
        const { id } = expectJson(first, 201)
        const replayed = first.headers.get(HEADERS.replayed)
        expectThat(replayed !== 'true', `no ${HEADERS.replayed} on the first answer`, replayed, first)
        for (let count = 0; count < 2; count += 1) expectReplayed(await post(world, kind, token), id)
        expectSame((await entriesOf(world, kind, String(id))).length, 1, 'the number of entries with the id')
      },
    ],
  ),
  [
    'replay-in-another-spelling',
    'The same token in another spelling, without padding or as raw bytes, is the same token.',
    async (world) => {
      const token = await seal(world, { fish: 'Salmon with a name', rarity: 3 })
      const { id } = expectJson(await post(world, 'fish', token), 201)
      expectReplayed(await post(world, 'fish', `${token.replace(/=+$/, '')}\n`), id)
      const binary = atob(token.replaceAll('-', '+').replaceAll('_', '/'))
      expectReplayed(
        await post(
          world,
          'fish',
          Uint8Array.from(binary, (part) => part.charCodeAt(0)),
        ),
        id,
      )
    },
  ],
  [
    'replay-to-another-gamemode',
    'The same token again is not stored in another gamemode either.',
    async (world) => {
      const token = await seal(world, SHORT.crab)
      const { id } = expectJson(await post(world, 'crab', token), 201)
      expectReplayed(await post(world, 'crab', token, { gamemode: 'oneblock' }), id)
      const stored = await entriesOf(world, 'crab', String(id), 'oneblock')
      expectSame(stored.length, 0, 'the number of entries in the other gamemode')
    },
  ],
  [
    'replay-at-once',
    'The same token many times at once is stored once: one 201, and 200 with the same id for all others.',
    async (world) => {
      const token = await seal(world, SHORT.fish)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(world, 'fish', token)))
      for (const answer of answers) expectStatus(answer, 200, 201)
      const created = answers.filter(({ status }) => status === 201)
      expectSame(created.length, 1, 'the number of answers 201')
      const ids = new Set(answers.map((answer) => expectJson(answer, answer.status).id))
      expectSame(ids.size, 1, 'the number of different ids')
      const [id] = ids
      expectSame((await entriesOf(world, 'fish', String(id))).length, 1, 'the number of entries with the id')
    },
  ],
]

/** A token is stored once. */
export const replayChecks = checksOf('tokens', rows)
