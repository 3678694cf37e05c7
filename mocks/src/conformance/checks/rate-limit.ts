import { HEADERS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import type { TestContext } from '../context/context.ts'
import {
  CheckSkipped,
  expectError,
  expectJson,
  expectMoment,
  expectSame,
  expectStatus,
  expectThat,
} from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { sendMany } from '../context/send.ts'
import { check, checksOf } from './check.ts'

/** How many requests are counted while `between` runs. */
async function countedBy(t: TestContext, between: () => Promise<unknown>): Promise<number> {
  const { anonymous } = t
  await anonymous.ensure(3)
  const before = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  await between()
  const after = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  if (after > before) throw newWindow()
  return before - after - 1
}

/** Fails if the response has a rate-limit header. */
function expectUncounted(response: ReceivedResponse): void {
  for (const name of [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]) {
    expectThat(!response.headers.has(name), `no ${name}`, 'one', response)
  }
}

/** Sends a preflight. @throws CheckSkipped on platforms where programs cannot send one */
function sendPreflight({ send, needHeader }: TestContext): Promise<ReceivedResponse> {
  const requestMethod = 'access-control-request-method'
  needHeader(requestMethod)
  return send('/get/fish', {
    method: 'OPTIONS',
    headers: { origin: 'https://conformance.example', [requestMethod]: 'GET' },
  })
}

const VARIANTS: readonly (readonly [string, string, string])[] = [
  ['HEAD', '/status', 'HEAD'],
  ['GET', '/nowhere', 'an unknown path'],
  ['DELETE', '/status', 'a method that is not allowed'],
  ['GET', '/v1/demo/fish/', 'a path under /v1 with a trailing slash'],
  ['GET', '//demo//fish', 'doubled slashes'],
  ['GET', '/%64emo/fish', 'a percent-encoded path'],
]

/** The check is skipped if the limit is higher. */
const MAX_REQUESTS = 200
const ONE_TOO_MANY = 5

interface ExhaustedWindow {
  /** How many requests the window had left. */
  readonly left: number
  readonly responses: readonly ReceivedResponse[]
  /** Sends a request that the limit should refuse. @throws CheckSkipped if it is counted in a later window */
  send(...request: Parameters<TestContext['anonymous']['send']>): Promise<ReceivedResponse>
}

/** Sends more concurrent requests than the window has left. */
async function exhaust({ anonymous }: TestContext): Promise<ExhaustedWindow> {
  const left = await anonymous.left()
  if (left > MAX_REQUESTS) throw new CheckSkipped(`would require ${left} requests to reach the limit`)
  const responses = await sendMany(left + ONE_TOO_MANY, () => anonymous.send('/demo/crab'))
  const ends = responses.map(windowEnd)
  return {
    left,
    responses,
    async send(...request) {
      const response = await anonymous.send(...request)
      if (response.status !== 429 && ends.some((end) => windowEnd(response) > end)) throw newWindow()
      return response
    },
  }
}

/** `X-RateLimit-Reset`; `NaN` if it is missing. */
function windowEnd({ headers }: ReceivedResponse): number {
  return Number(headers.get(HEADERS.rateReset) ?? Number.NaN)
}

function newWindow(): CheckSkipped {
  return new CheckSkipped('a new window started in the meantime')
}

/** What the rate limit counts, refuses and lets through. Checks that exhaust the limit come last. */
export const rateLimitChecks = checksOf('rate-limit', [
  check(
    'limit-headers',
    'A counted response has the limit, the remaining requests and the end of the window in unix seconds.',
    async (t) => {
      const { requests, windowMs } = t.limits
      await t.anonymous.ensure(1)
      const response = await t.anonymous.send('/status')
      expectSame(numberHeader(response, HEADERS.rateLimit), requests, HEADERS.rateLimit, response)
      const left = numberHeader(response, HEADERS.rateRemaining)
      expectThat(left < requests, `${HEADERS.rateRemaining} below ${requests}`, left, response)
      const now = expectMoment(expectJson(response).timestamp, '"timestamp"', response) / 1000
      const reset = numberHeader(response, HEADERS.rateReset)
      const isWithin = reset >= Math.floor(now) && reset <= now + windowMs / 1000 + 1
      expectThat(isWithin, `${HEADERS.rateReset} within ${windowMs / 1000} s from now`, reset - now, response)
    },
  ),
  check(
    'limit-counts-every-variant',
    `${VARIANTS.map(([, , what]) => what).join(', ')}: each counts as one request, and the end of the window stays the same.`,
    async (t) => {
      const { anonymous } = t
      await anonymous.ensure(VARIANTS.length + 1)
      const first = await anonymous.send('/demo/crab')
      let left = numberHeader(first, HEADERS.rateRemaining)
      const reset = numberHeader(first, HEADERS.rateReset)
      for (const [method, path] of VARIANTS) {
        const response = await anonymous.send(path, { method })
        if (numberHeader(response, HEADERS.rateReset) > reset && numberHeader(response, HEADERS.rateRemaining) > left) {
          throw newWindow()
        }
        left -= 1
        expectSame(numberHeader(response, HEADERS.rateRemaining), left, HEADERS.rateRemaining, response)
        expectSame(numberHeader(response, HEADERS.rateReset), reset, HEADERS.rateReset, response)
      }
    },
  ),
  check(
    'limit-leaves-preflights-and-operations',
    'Preflights, probes, the OpenAPI document and admin endpoints are not counted.',
    async (t) => {
      const { send, superadmin } = t
      const { token } = await superadmin()
      const counted = await countedBy(t, async () => {
        expectUncounted(await send('/livez'))
        expectUncounted(await send('/openapi.json'))
        await send('/admin/me', { headers: { authorization: `Bearer ${token}` } })
      })
      expectSame(counted, 0, 'the number of requests counted in between')
      // Last, since it skips the check on platforms where programs cannot send preflights.
      const preflights = await countedBy(t, async () => expectUncounted(await sendPreflight(t)))
      expectSame(preflights, 0, 'the number of preflights counted')
    },
  ),
  check(
    'bypass-personal-key',
    'A request with a personal API key is not counted, and its response has no rate-limit headers.',
    async (t) => {
      const { apiKey } = await t.user()
      const headers = { [HEADERS.apiKey]: apiKey }
      const counted = await countedBy(t, async () => {
        for (const path of ['/status', '/nowhere']) expectUncounted(await t.send(path, { headers }))
      })
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ),
  check(
    'bypass-master-key',
    'A request with the master key is not counted, and its response has no rate-limit headers.',
    async (t) => {
      const headers = { [HEADERS.apiKey]: t.masterKey() }
      const counted = await countedBy(t, async () => expectUncounted(await t.send('/status', { headers })))
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ),
  check('master-key-opens-nothing-else', 'The master key does not identify or authenticate anyone.', async (t) => {
    const headers = { [HEADERS.apiKey]: t.masterKey() }
    expectStatus(await t.send('/post/fish', { method: 'POST', headers }), 400)
    expectStatus(await t.send('/admin/users', { headers }), 401)
  }),
  check(
    'bypass-allowed-origin',
    'A request from a configured origin is not counted, and its response has no rate-limit headers.',
    async (t) => {
      t.needHeader('origin')
      const headers = { origin: t.allowedOrigin() }
      const counted = await countedBy(t, async () => expectUncounted(await t.send('/status', { headers })))
      expectSame(counted, 0, 'the number of requests counted in between')
    },
  ),
  check(
    'bypass-not-by-invalid-key',
    'An invalid API key is ignored: the request is processed and counted.',
    async (t) => {
      await t.anonymous.ensure(1)
      const response = await t.anonymous.send('/status', { headers: { [HEADERS.apiKey]: 'nonsense' } })
      expectStatus(response, 200)
      numberHeader(response, HEADERS.rateRemaining)
    },
  ),
  check('bypass-not-by-other-origin', 'A request from an origin that is not configured is counted.', async (t) => {
    t.needHeader('origin')
    await t.anonymous.ensure(1)
    const headers = { origin: 'https://conformance.example' }
    numberHeader(await t.anonymous.send('/status', { headers }), HEADERS.rateRemaining)
  }),
  check('limit-is-exact', 'Of concurrent requests, exactly as many pass as the window has left.', async (t) => {
    await t.anonymous.ensure(1)
    const { left, responses } = await exhaust(t)
    for (const response of responses) expectStatus(response, 200, 429)
    const passed = responses.filter(({ status }) => status === 200)
    if (passed.length > left && responses.some((response) => numberHeader(response, HEADERS.rateRemaining) > left)) {
      throw newWindow()
    }
    expectSame(passed.length, left, 'the number of requests that passed')
    const remaining = passed.map((response) => numberHeader(response, HEADERS.rateRemaining)).sort((a, b) => b - a)
    expectSame(
      remaining,
      Array.from({ length: left }, (_, index) => left - 1 - index),
      HEADERS.rateRemaining,
    )
  }),
  check(
    'limit-refusal',
    'A request over the limit is 429 with Retry-After and a message to try again later or to contact the site owner.',
    async (t) => {
      const response = await (await exhaust(t)).send('/demo/crab')
      const { error } = expectError(response, 'rate_limited')
      expectThat(/try again later/i.test(String(error)), '"try again later"', error, response)
      expectThat(/contact the site owner/i.test(String(error)), '"contact the site owner"', error, response)
      const seconds = numberHeader(response, HEADERS.retryAfter)
      const most = Math.ceil(t.limits.windowMs / 1000)
      expectThat(seconds >= 1 && seconds <= most, `${HEADERS.retryAfter} of 1 to ${most} s`, seconds, response)
      expectSame(numberHeader(response, HEADERS.rateRemaining), 0, HEADERS.rateRemaining, response)
      expectSame(numberHeader(response, HEADERS.rateLimit), t.limits.requests, HEADERS.rateLimit, response)
      numberHeader(response, HEADERS.rateReset)
    },
  ),
  check(
    'limit-refuses-every-variant',
    'Once the limit is reached, all public endpoints, unknown paths and path variants are refused.',
    async (t) => {
      const exhausted = await exhaust(t)
      for (const path of [
        '/status',
        '/v1/demo/fish',
        '/get/fish/',
        '//status',
        '/%73tatus',
        '/nowhere',
        '/get/user/key',
      ]) {
        expectError(await exhausted.send(path), 'rate_limited')
      }
      expectStatus(await exhausted.send('/status', { method: 'HEAD' }), 429)
      expectError(await exhausted.send('/post/fish', { method: 'POST' }), 'rate_limited')
      const headers = { [HEADERS.apiKey]: 'nonsense' }
      expectError(await exhausted.send('/status', { headers }), 'rate_limited')
    },
  ),
  check('limit-refusal-is-cors', 'A 429 can be read from any origin, including Retry-After.', async (t) => {
    t.needHeader('origin')
    const exhausted = await exhaust(t)
    const headers = { origin: 'https://conformance.example' }
    const response = await exhausted.send('/status', { headers })
    expectError(response, 'rate_limited')
    expectSame(response.headers.get('access-control-allow-origin'), '*', 'access-control-allow-origin', response)
  }),
  check(
    'limit-leaves-others',
    'Once the limit is reached, requests with a personal API key, probes, preflights and admin endpoints still pass.',
    async (t) => {
      const { token } = await t.superadmin()
      await exhaust(t)
      const keyed = await t.request('/status')
      expectStatus(keyed, 200)
      expectUncounted(keyed)
      expectStatus(await t.send('/livez'), 200)
      expectStatus(await t.send('/admin/me', { headers: { authorization: `Bearer ${token}` } }), 200)
      expectStatus(await sendPreflight(t), 200, 204)
    },
  ),
  check(
    'limit-is-per-client',
    'Once one client has reached its limit, another address has its full limit.',
    async (t) => {
      const other = t.otherClient()
      await exhaust(t)
      const response = await other('/status')
      expectStatus(response, 200)
      expectSame(numberHeader(response, HEADERS.rateRemaining), t.limits.requests - 1, HEADERS.rateRemaining, response)
    },
  ),
  check('limit-window-ends', 'The next window has the full limit.', async (t) => {
    await exhaust(t)
    await t.anonymous.waitForNextWindow()
    const response = await t.anonymous.send('/status')
    expectStatus(response, 200)
    expectSame(numberHeader(response, HEADERS.rateRemaining), t.limits.requests - 1, HEADERS.rateRemaining, response)
  }),
])
