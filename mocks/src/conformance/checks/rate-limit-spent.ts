import { HEADERS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import type { Answer } from '../context/answer.ts'
import type { World } from '../context/context.ts'
import { expectError, expectStatus } from '../context/expect-answer.ts'
import { CheckSkipped, expectSame, expectThat } from '../context/expectation.ts'
import { sendMany } from '../context/send-many.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'
import { expectUncounted, sendPreflight } from './rate-limit.ts'

/** More than this is not spent knowingly. */
const MOST_REQUESTS = 200
const ONE_TOO_MANY = 5

/** Uses up what is left of this client's window, at once, and a little more. Answers what was left, and all answers. */
async function spend(world: World): Promise<{ readonly left: number; readonly answers: readonly Answer[] }> {
  const left = await world.anonymous.left()
  if (left > MOST_REQUESTS) throw new CheckSkipped(`it would take ${left} requests to use up this client's window`)
  const answers = await sendMany(left + ONE_TOO_MANY, () => world.anonymous.send('/demo/crab'))
  return { left, answers }
}

async function refused(world: World, path = '/demo/crab', method = 'GET'): Promise<Answer> {
  await spend(world)
  return world.anonymous.send(path, { method })
}

const rows: readonly CheckRow[] = [
  [
    'limit-is-exact',
    'Of requests at once exactly as many pass as are left, and never one more.',
    async (world) => {
      await world.anonymous.ensure(1)
      const { left, answers } = await spend(world)
      for (const answer of answers) expectStatus(answer, 200, 429)
      const passed = answers.filter(({ status }) => status === 200)
      if (passed.length > left && answers.some((answer) => numberHeader(answer, HEADERS.rateRemaining) > left)) {
        throw new CheckSkipped('a new window began meanwhile')
      }
      expectSame(passed.length, left, 'the number of requests that passed')
      const remaining = passed.map((answer) => numberHeader(answer, HEADERS.rateRemaining)).sort((a, b) => b - a)
      expectSame(
        remaining,
        Array.from({ length: left }, (_, index) => left - 1 - index),
        HEADERS.rateRemaining,
      )
    },
  ],
  [
    'limit-refusal',
    'One request too many is 429 with Retry-After and says to try again later and to contact the site owner.',
    async (world) => {
      const answer = await refused(world)
      const { error } = expectError(answer, 'rate_limited')
      expectThat(/try again later/i.test(String(error)), '"try again later"', error, answer)
      expectThat(/contact the site owner/i.test(String(error)), '"contact the site owner"', error, answer)
      const seconds = numberHeader(answer, HEADERS.retryAfter)
      const most = Math.ceil(world.limits.windowMs / 1000)
      expectThat(seconds >= 1 && seconds <= most, `${HEADERS.retryAfter} of 1 to ${most} s`, seconds, answer)
      expectSame(numberHeader(answer, HEADERS.rateRemaining), 0, HEADERS.rateRemaining, answer)
      expectSame(numberHeader(answer, HEADERS.rateLimit), world.limits.requests, HEADERS.rateLimit, answer)
      numberHeader(answer, HEADERS.rateReset)
    },
  ],
  [
    'limit-refuses-every-variant',
    'Once the window is used up, every public endpoint, unknown paths and all spellings are refused.',
    async (world) => {
      await spend(world)
      for (const path of [
        '/status',
        '/v1/demo/fish',
        '/get/fish/',
        '//status',
        '/%73tatus',
        '/nowhere',
        '/get/user/key',
      ]) {
        expectError(await world.anonymous.send(path), 'rate_limited')
      }
      expectStatus(await world.anonymous.send('/status', { method: 'HEAD' }), 429)
      expectError(await world.anonymous.send('/post/fish', { method: 'POST' }), 'rate_limited')
      const headers = { [HEADERS.apiKey]: 'nonsense' }
      expectError(await world.anonymous.send('/status', { headers }), 'rate_limited')
    },
  ],
  [
    'limit-refusal-is-cors',
    'A refusal may be read from any origin, Retry-After included.',
    async (world) => {
      world.needHeader('origin')
      await spend(world)
      const headers = { origin: 'https://conformance.example' }
      const answer = await world.anonymous.send('/status', { headers })
      expectError(answer, 'rate_limited')
      expectSame(answer.headers.get('access-control-allow-origin'), '*', 'access-control-allow-origin', answer)
    },
  ],
  [
    'limit-leaves-others',
    'Once the window is used up, a personal API key, probes, preflights and admin endpoints are answered all the same.',
    async (world) => {
      const { token } = await world.superadmin()
      await spend(world)
      const keyed = await world.request('/status')
      expectStatus(keyed, 200)
      expectUncounted(keyed)
      expectStatus(await world.send('/livez'), 200)
      expectStatus(await world.send('/admin/me', { headers: { authorization: `Bearer ${token}` } }), 200)
      expectStatus(await sendPreflight(world), 200, 204)
    },
  ],
  [
    'limit-is-per-client',
    'Once the window of one client is used up, that of another address is whole.',
    async (world) => {
      const other = world.otherClient()
      await spend(world)
      const answer = await other('/status')
      expectStatus(answer, 200)
      expectSame(numberHeader(answer, HEADERS.rateRemaining), world.limits.requests - 1, HEADERS.rateRemaining, answer)
    },
  ],
  [
    'limit-window-ends',
    'When the window is over, the next one is whole.',
    async (world) => {
      await spend(world)
      await world.anonymous.waitForNextWindow()
      const answer = await world.anonymous.send('/status')
      expectStatus(answer, 200)
      expectSame(numberHeader(answer, HEADERS.rateRemaining), world.limits.requests - 1, HEADERS.rateRemaining, answer)
    },
  ],
]

/** What happens when a window is used up. These come last: nothing is left for others. */
export const rateLimitSpentChecks = checksOf('rate-limit', rows)
