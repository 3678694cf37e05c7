import { HEADERS } from '@fish-crab/sdk/contract'
import { expectNumber, expectRetryAfter, numberHeader, windowEnd } from '../context/anonymous.ts'
import { OTHER_ORIGIN, type TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { CheckSkipped } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { type Send, sendMany } from '../context/send.ts'
import { check, checksOf } from './check.ts'

async function expectNoneCounted({ anonymous }: TestContext, between: () => Promise<unknown>): Promise<void> {
  await anonymous.ensure(3)
  const before = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  await between()
  const after = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  if (after > before) throw newWindow()
  expect.same(before - after - 1, 0, 'the number of requests counted in between')
}

function expectUncounted(response: ReceivedResponse): void {
  for (const name of [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]) {
    expect.that(!response.headers.has(name), `no ${name}`, 'one', response)
  }
}

const VARIANTS: readonly (readonly [string, string])[] = [
  ['HEAD', '/status'],
  ['GET', '/nowhere'],
  ['DELETE', '/status'],
  ['GET', '/v1/demo/fish/'],
  ['GET', '//demo//fish'],
  ['GET', '/%64emo/fish'],
]

/** The check is skipped if the limit is higher. */
const MAX_REQUESTS = 200
const ONE_TOO_MANY = 5

async function exhaust({ anonymous }: TestContext) {
  const left = await anonymous.left()
  const before = anonymous.windowEnd()
  if (left > MAX_REQUESTS) throw new CheckSkipped(`would require ${left} requests to reach the limit`)
  const responses = await sendMany(left + ONE_TOO_MANY, () => anonymous.send('/demo/crab'))
  // What is left grows only in a new window, which this number of requests may not exhaust.
  const isNew = (one: ReceivedResponse) => windowEnd(one) > before && numberHeader(one, HEADERS.rateRemaining) >= left
  if (responses.some((one) => one.status !== 429 && isNew(one))) throw newWindow()
  const ends = responses.map(windowEnd)
  /** Sends a request that the limit should refuse. @throws CheckSkipped if it is counted in a later window */
  const send: Send = async (...request) => {
    const response = await anonymous.send(...request)
    if (response.status !== 429 && ends.some((end) => windowEnd(response) > end)) throw newWindow()
    return response
  }
  /** `left`: how many requests the window had left. */
  return { left, responses, send }
}

function newWindow(): CheckSkipped {
  return new CheckSkipped('a new window started in the meantime')
}

export const rateLimitChecks = checksOf('rate-limit', [
  check('limit-headers', 'A counted response has the limit, the remaining requests and the reset.', async (t) => {
    const { requests, windowMs } = t.limits
    await t.anonymous.ensure(1)
    const response = await t.anonymous.send('/status')
    expectNumber(response, HEADERS.rateLimit, requests)
    const left = numberHeader(response, HEADERS.rateRemaining)
    expect.that(left < requests, `${HEADERS.rateRemaining} below ${requests}`, left, response)
    const now = expect.dateTime(expect.json(response).timestamp, '"timestamp"', response) / 1000
    const reset = numberHeader(response, HEADERS.rateReset)
    const isWithin = reset >= Math.floor(now) && reset <= now + windowMs / 1000 + 1
    expect.that(isWithin, `${HEADERS.rateReset} within ${windowMs / 1000} s from now`, reset - now, response)
  }),
  check('limit-counts-every-variant', 'HEAD, unknown paths and path variants count as one request each.', async (t) => {
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
      expectNumber(response, HEADERS.rateRemaining, left)
      expectNumber(response, HEADERS.rateReset, reset)
    }
  }),
  check('limit-leaves-preflights-and-operations', 'Preflights, probes and admin calls are not counted.', async (t) => {
    await expectNoneCounted(t, async () => {
      expectUncounted(await t.send('/livez'))
      expectUncounted(await t.send('/openapi.json'))
      await t.asSuperadmin('adminMe')
    })
    // Last, since it skips the check on platforms where programs cannot send preflights.
    await expectNoneCounted(t, async () => expectUncounted(await t.preflight('/get/fish', OTHER_ORIGIN, 'GET')))
  }),
  check('bypass-personal-key', 'A request with a personal key is not counted: no rate-limit headers.', async (t) => {
    const { apiKey } = await t.user()
    const headers = { [HEADERS.apiKey]: apiKey }
    await expectNoneCounted(t, async () => {
      for (const path of ['/status', '/nowhere']) expectUncounted(await t.send(path, { headers }))
    })
  }),
  check('bypass-master-key', 'A request with the master key is not counted: no rate-limit headers.', async (t) => {
    const headers = { [HEADERS.apiKey]: t.masterKey() }
    await expectNoneCounted(t, async () => expectUncounted(await t.send('/status', { headers })))
  }),
  check('master-key-opens-nothing-else', 'The master key does not identify or authenticate anyone.', async (t) => {
    const headers = { [HEADERS.apiKey]: t.masterKey() }
    expect.status(await t.send('/post/fish', { method: 'POST', headers }), 400)
    expect.status(await t.send('/admin/users', { headers }), 401)
  }),
  check('bypass-allowed-origin', 'A request from a configured origin is not counted.', async (t) => {
    t.needHeader('origin')
    const headers = { origin: t.allowedOrigin() }
    await expectNoneCounted(t, async () => expectUncounted(await t.send('/status', { headers })))
  }),
  check('bypass-not-by-invalid-key', 'An invalid API key is ignored: the request is counted.', async (t) => {
    await t.anonymous.ensure(1)
    const response = await t.anonymous.send('/status', { headers: { [HEADERS.apiKey]: 'nonsense' } })
    expect.status(response, 200)
    numberHeader(response, HEADERS.rateRemaining)
  }),
  check('bypass-not-by-other-origin', 'A request from an origin that is not configured is counted.', async (t) => {
    t.needHeader('origin')
    await t.anonymous.ensure(1)
    const headers = { origin: OTHER_ORIGIN }
    numberHeader(await t.anonymous.send('/status', { headers }), HEADERS.rateRemaining)
  }),
  check('limit-is-exact', 'Of concurrent requests, exactly as many pass as the window has left.', async (t) => {
    await t.anonymous.ensure(1)
    const { left, responses } = await exhaust(t)
    for (const response of responses) expect.status(response, 200, 429)
    const passed = responses.filter(({ status }) => status === 200)
    expect.same(passed.length, left, 'the number of requests that passed')
    const remaining = passed.map((response) => numberHeader(response, HEADERS.rateRemaining)).sort((a, b) => b - a)
    const counted = Array.from({ length: left }, (_, index) => left - 1 - index)
    expect.same(remaining, counted, HEADERS.rateRemaining)
  }),
  check('limit-refusal', 'Over the limit, a request is 429 with Retry-After and says what to do.', async (t) => {
    const response = await (await exhaust(t)).send('/demo/crab')
    const { error } = expect.error(response, 'rate_limited')
    expect.that(/try again later/i.test(String(error)), '"try again later"', error, response)
    expect.that(/contact the site owner/i.test(String(error)), '"contact the site owner"', error, response)
    expectRetryAfter(response, Math.ceil(t.limits.windowMs / 1000))
    expectNumber(response, HEADERS.rateRemaining, 0)
    expectNumber(response, HEADERS.rateLimit, t.limits.requests)
    numberHeader(response, HEADERS.rateReset)
  }),
  check('limit-refuses-every-variant', 'Over the limit, every public endpoint and path variant is 429.', async (t) => {
    const exhausted = await exhaust(t)
    const paths = ['/status', '/v1/demo/fish', '/get/fish/', '//status', '/%73tatus', '/nowhere', '/get/user/key']
    for (const path of paths) expect.error(await exhausted.send(path), 'rate_limited')
    expect.status(await exhausted.send('/status', { method: 'HEAD' }), 429)
    expect.error(await exhausted.send('/post/fish', { method: 'POST' }), 'rate_limited')
    const headers = { [HEADERS.apiKey]: 'nonsense' }
    expect.error(await exhausted.send('/status', { headers }), 'rate_limited')
  }),
  check('limit-refusal-is-cors', 'A 429 can be read from any origin, including Retry-After.', async (t) => {
    t.needHeader('origin')
    const exhausted = await exhaust(t)
    const headers = { origin: OTHER_ORIGIN }
    const response = await exhausted.send('/status', { headers })
    expect.error(response, 'rate_limited')
    expect.same(response.headers.get('access-control-allow-origin'), '*', 'access-control-allow-origin', response)
  }),
  check('limit-leaves-others', 'Over the limit, personal keys, probes and admin endpoints still pass.', async (t) => {
    await exhaust(t)
    const keyed = await t.request('/status')
    expect.status(keyed, 200)
    expectUncounted(keyed)
    expect.status(await t.send('/livez'), 200)
    expect.status(await t.asSuperadmin('adminMe'), 200)
    expect.status(await t.preflight('/get/fish', OTHER_ORIGIN, 'GET'), 200, 204)
  }),
  check('limit-is-per-client', 'When a client has reached its limit, another address has a full limit.', async (t) => {
    const other = t.otherClient()
    await exhaust(t)
    const response = await other('/status')
    expect.status(response, 200)
    expectNumber(response, HEADERS.rateRemaining, t.limits.requests - 1)
  }),
  check('limit-window-ends', 'The next window has the full limit.', async (t) => {
    await exhaust(t)
    await t.anonymous.waitForNextWindow()
    const response = await t.anonymous.send('/status')
    expect.status(response, 200)
    expectNumber(response, HEADERS.rateRemaining, t.limits.requests - 1)
  }),
])
