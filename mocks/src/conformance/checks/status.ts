import { DEMO_USER, RARITY_LABELS } from '@fish-crab/sdk/contract'
import { expectJson, expectMoment, expectText } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const rows: readonly CheckRow[] = [
  [
    'status-ok',
    'GET /status says "ok", the time in UTC and the version.',
    async ({ request }) => {
      const answer = await request('/status')
      const { status, timestamp, version } = expectJson(answer)
      expectSame(status, 'ok', '"status"', answer)
      expectMoment(timestamp, '"timestamp"', answer)
      expectThat(String(timestamp).endsWith('Z'), '"timestamp" in UTC', timestamp, answer)
      expectText(version, '"version"', answer)
    },
  ],
  [
    'status-time-goes-on',
    'The time of GET /status never goes back.',
    async ({ request }) => {
      const times: number[] = []
      for (let count = 0; count < 2; count += 1) {
        times.push(expectMoment(expectJson(await request('/status')).timestamp, '"timestamp"'))
      }
      const [first = 0, second = 0] = times
      expectThat(second >= first, 'a later or the same "timestamp" at the second request', 'an earlier one')
    },
  ],
  [
    'demo-fish',
    'GET /demo/fish has the read shape, for the user demo, and covers all seven rarities.',
    async ({ request }) => {
      const answer = await request('/demo/fish')
      const { user, fish } = expectJson(answer)
      expectSame(user, DEMO_USER, '"user"', answer)
      expectThat(Array.isArray(fish), 'an array under "fish"', fish, answer)
      const entries = fish as Record<string, unknown>[]
      for (const entry of entries) expectSame(Object.keys(entry).sort(), ['name', 'rarity'], 'the fields', answer)
      const labels = new Set(entries.map(({ rarity }) => rarity))
      expectSame([...labels].sort(), [...RARITY_LABELS].sort(), 'the rarities', answer)
    },
  ],
  [
    'demo-crab',
    'GET /demo/crab has the read shape, for the user demo.',
    async ({ request }) => {
      const answer = await request('/demo/crab')
      const { user, crab } = expectJson(answer)
      expectSame(user, DEMO_USER, '"user"', answer)
      expectThat(Array.isArray(crab) && crab.length > 0, 'crabs', crab, answer)
      for (const entry of crab as object[]) expectSame(Object.keys(entry), ['name'], 'the fields', answer)
    },
  ],
  ...['fish', 'crab'].map(
    (kind): CheckRow => [
      `demo-${kind}-is-fixed`,
      `GET /demo/${kind} answers the same rows every time.`,
      async ({ request }) => {
        const first = await request(`/demo/${kind}`)
        const second = await request(`/demo/${kind}`)
        expectSame(expectJson(second), expectJson(first), 'the second answer', second)
      },
    ],
  ),
]

/** `GET /status` and the samples. */
export const statusChecks = checksOf('status', rows)
