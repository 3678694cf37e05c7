import { HEADERS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import { expectStatus } from '../context/expect-answer.ts'
import { expectSame } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'
import { countedBy, expectUncounted } from './rate-limit.ts'

const rows: readonly CheckRow[] = [
  [
    'bypass-personal-key',
    'A request with a personal API key is not counted, and its answer has no header of the limit.',
    async (world) => {
      const { apiKey } = await world.user()
      const headers = { [HEADERS.apiKey]: apiKey }
      const counted = await countedBy(world, async () => {
        for (const path of ['/status', '/nowhere']) expectUncounted(await world.send(path, { headers }))
      })
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ],
  [
    'bypass-master-key',
    'A request with the master key is not counted, and its answer has no header of the limit.',
    async (world) => {
      const headers = { [HEADERS.apiKey]: world.masterKey() }
      const counted = await countedBy(world, async () => expectUncounted(await world.send('/status', { headers })))
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ],
  [
    'master-key-opens-nothing-else',
    'The master key names no user and authenticates nobody.',
    async (world) => {
      const headers = { [HEADERS.apiKey]: world.masterKey() }
      expectStatus(await world.send('/post/fish', { method: 'POST', headers }), 400)
      expectStatus(await world.send('/admin/users', { headers }), 401)
    },
  ],
  [
    'bypass-allowed-origin',
    'A request of a configured origin is not counted, and its answer has no header of the limit.',
    async (world) => {
      world.needHeader('origin')
      const headers = { origin: world.allowedOrigin() }
      const counted = await countedBy(world, async () => expectUncounted(await world.send('/status', { headers })))
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ],
  [
    'bypass-not-by-invalid-key',
    'An invalid API key is ignored: the request is answered, and counted.',
    async (world) => {
      await world.anonymous.ensure(1)
      const answer = await world.anonymous.send('/status', { headers: { [HEADERS.apiKey]: 'nonsense' } })
      expectStatus(answer, 200)
      numberHeader(answer, HEADERS.rateRemaining)
    },
  ],
  [
    'bypass-not-by-other-origin',
    'An origin that is not configured is counted.',
    async (world) => {
      world.needHeader('origin')
      await world.anonymous.ensure(1)
      const headers = { origin: 'https://conformance.example' }
      numberHeader(await world.anonymous.send('/status', { headers }), HEADERS.rateRemaining)
    },
  ],
]

/** What lifts the public limit, and what does not. */
export const rateLimitBypassChecks = checksOf('rate-limit', rows)
