import { HEADERS } from '@fish-crab/sdk/contract'
import { windowEnd } from '../context/anonymous.ts'
import { OTHER_ORIGIN, type TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { type Send, sendMany } from '../context/send.ts'
import { check, checksOf } from './check.ts'

async function expectNoneCounted({ anonymous }: TestContext, between: () => Promise<unknown>): Promise<void> {
  await anonymous.ensure(3)
  const before = expect.integer(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  await between()
  const after = expect.integer(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  if (after > before) throw newWindow()
  expect.same(before - after - 1, 0, 'the number of requests counted in between')
}

function expectUncounted(response: expect.ReceivedResponse): void {
  for (const name of [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]) expect.header(response, name, null)
}

const VARIANTS: readonly (readonly [string, string])[] = [
  ['HEAD', '/status'],
  ['GET', '/nowhere'],
  ['DELETE', '/status'],
  ['GET', '/v1/demo/fish/'],
  ['GET', '//demo//fish'],
  ['GET', '/%64emo/fish'],
]

const REFUSED_PATHS = ['/status', '/v1/demo/fish', '/get/fish/', '//status', '/%73tatus', '/nowhere', '/get/user/key']

/** A check is skipped if the check would have to send more than this number of requests to reach the limit. */
const MAX_REQUESTS = 200
const ONE_TOO_MANY = 5

async function exhaust({ anonymous }: TestContext) {
  const left = await anonymous.left()
  const before = anonymous.windowEnd()
  if (left > MAX_REQUESTS) throw new expect.CheckSkipped(`would require ${left} requests to reach the limit`)
  const responses = await sendMany(left + ONE_TOO_MANY, () => anonymous.send('/demo/crab'))
  // If the number of remaining requests has not decreased, a new window has started, and these requests may not exhaust
  // that window.
  const isNew = (one: expect.ReceivedResponse) =>
    windowEnd(one) > before && expect.integer(one, HEADERS.rateRemaining) >= left
  if (responses.some((one) => one.status !== 429 && isNew(one))) throw newWindow()
  const ends = responses.map(windowEnd)
  /** Sends a request that the limit should refuse. @throws CheckSkipped if the request is counted in a later window */
  const send: Send = async (...request) => {
    const response = await anonymous.send(...request)
    if (response.status !== 429 && ends.some((end) => windowEnd(response) > end)) throw newWindow()
    return response
  }
  /** `left` is the number of requests that remained in the window at the start. */
  return { left, responses, send }
}

function newWindow(): expect.CheckSkipped {
  return new expect.CheckSkipped('a new window started in the meantime')
}

const BYPASSES: Readonly<Record<string, readonly [string, (t: TestContext) => Promise<Record<string, string>>]>> = {
  'personal-key': ['a personal key', async (t) => ({ [HEADERS.apiKey]: (await t.user()).apiKey })],
  'master-key': ['the master key', async (t) => ({ [HEADERS.apiKey]: t.masterKey() })],
  'allowed-origin': [
    'a configured origin',
    async (t) => {
      t.needHeader('origin')
      return { origin: t.allowedOrigin() }
    },
  ],
}

const NO_BYPASSES: Readonly<Record<string, readonly [string, string, string]>> = {
  'invalid-key': ['an invalid API key', HEADERS.apiKey, 'nonsense'],
  'other-origin': ['an origin that is not configured', 'origin', OTHER_ORIGIN],
}

export const rateLimitChecks = checksOf('rate-limit', [
  check(
    'limit-headers',
    'A counted response has headers with the limit, the remaining requests and the reset time.',
    async (t) => {
      const { requests, windowMs } = t.limits
      await t.anonymous.ensure(1)
      const response = await t.anonymous.send('/status')
      expect.header(response, HEADERS.rateLimit, String(requests))
      const left = expect.integer(response, HEADERS.rateRemaining)
      expect.that(left < requests, `${HEADERS.rateRemaining} below ${requests}`, left, response)
      const now = expect.dateTime(expect.json(response).timestamp, '"timestamp"', response) / 1000
      const reset = expect.integer(response, HEADERS.rateReset)
      const isWithin = reset >= Math.floor(now) && reset <= now + windowMs / 1000 + 1
      expect.that(isWithin, `${HEADERS.rateReset} within ${windowMs / 1000} s from now`, reset - now, response)
    },
  ),
  check('limit-counts-every-variant', 'HEAD, unknown paths and path variants count as one request each.', async (t) => {
    const { anonymous } = t
    await anonymous.ensure(VARIANTS.length + 1)
    const first = await anonymous.send('/demo/crab')
    let left = expect.integer(first, HEADERS.rateRemaining)
    const reset = expect.integer(first, HEADERS.rateReset)
    for (const [method, path] of VARIANTS) {
      const response = await anonymous.send(path, { method })
      if (
        expect.integer(response, HEADERS.rateReset) > reset &&
        expect.integer(response, HEADERS.rateRemaining) > left
      ) {
        throw newWindow()
      }
      left -= 1
      expect.header(response, HEADERS.rateRemaining, String(left))
      expect.header(response, HEADERS.rateReset, String(reset))
    }
  }),
  check('limit-leaves-preflights-and-operations', 'Preflights, probes and admin calls are not counted.', async (t) => {
    await expectNoneCounted(t, async () => {
      expectUncounted(await t.send('/livez'))
      expectUncounted(await t.send('/openapi.json'))
      await t.asSuperadmin('adminMe')
    })
    // Send the preflight last, because on a platform where programs cannot send preflights, the rest of the check is
    // skipped from this point.
    await expectNoneCounted(t, async () => expectUncounted(await t.preflight('/get/fish', OTHER_ORIGIN, 'GET')))
  }),
  ...Object.entries(BYPASSES).map(([id, [what, headersOf]]) =>
    check(`bypass-${id}`, `A request with ${what} is not counted and gets no rate-limit headers.`, async (t) => {
      const headers = await headersOf(t)
      await expectNoneCounted(t, async () => {
        for (const path of ['/status', '/nowhere']) expectUncounted(await t.send(path, { headers }))
      })
    }),
  ),
  check('master-key-opens-nothing-else', 'The master key does not identify or authenticate anyone.', async (t) => {
    const headers = { [HEADERS.apiKey]: t.masterKey() }
    expect.status(await t.send('/post/fish', { method: 'POST', headers }), 400)
    expect.status(await t.send('/admin/users', { headers }), 401)
  }),
  ...Object.entries(NO_BYPASSES).map(([id, [what, header, value]]) =>
    check(`bypass-not-by-${id}`, `A request with ${what} is counted.`, async (t) => {
      t.needHeader(header)
      await t.anonymous.ensure(1)
      const response = await t.anonymous.send('/status', { headers: { [header]: value } })
      expect.status(response, 200)
      expect.integer(response, HEADERS.rateRemaining)
    }),
  ),
  check('limit-is-exact', 'Exactly as many concurrent requests pass as remain in the window.', async (t) => {
    await t.anonymous.ensure(1)
    const { left, responses } = await exhaust(t)
    for (const response of responses) expect.status(response, 200, 429)
    const passed = responses.filter(({ status }) => status === 200)
    expect.same(passed.length, left, 'the number of requests that passed')
    const remaining = passed.map((response) => expect.integer(response, HEADERS.rateRemaining)).sort((a, b) => b - a)
    const counted = Array.from({ length: left }, (_, index) => left - 1 - index)
    expect.same(remaining, counted, HEADERS.rateRemaining)
  }),
  check('limit-refusal', 'Over the limit, every path responds 429 with Retry-After and advice.', async (t) => {
    const { send } = await exhaust(t)
    for (const path of REFUSED_PATHS) {
      const response = await send(path)
      const { error } = expect.error(response, 'rate_limited')
      expect.that(/try again later/i.test(String(error)), '"try again later"', error, response)
      expect.that(/contact the site owner/i.test(String(error)), '"contact the site owner"', error, response)
      expect.retryAfter(response, Math.ceil(t.limits.windowMs / 1000))
      expect.header(response, HEADERS.rateRemaining, String(0))
      expect.header(response, HEADERS.rateLimit, String(t.limits.requests))
      expect.integer(response, HEADERS.rateReset)
    }
    expect.status(await send('/status', { method: 'HEAD' }), 429)
    expect.error(await send('/post/fish', { method: 'POST' }), 'rate_limited')
    expect.error(await send('/status', { headers: { [HEADERS.apiKey]: 'nonsense' } }), 'rate_limited')
  }),
  check('limit-refusal-is-cors', 'A 429 can be read from any origin, including Retry-After.', async (t) => {
    t.needHeader('origin')
    const exhausted = await exhaust(t)
    const headers = { origin: OTHER_ORIGIN }
    const response = await exhausted.send('/status', { headers })
    expect.error(response, 'rate_limited')
    expect.header(response, 'access-control-allow-origin', '*')
  }),
  check(
    'limit-leaves-others',
    'Over the limit, requests with a personal key, probes and admin requests still pass.',
    async (t) => {
      await exhaust(t)
      const keyed = await t.request('/status')
      expect.status(keyed, 200)
      expectUncounted(keyed)
      expect.status(await t.send('/livez'), 200)
      expect.status(await t.asSuperadmin('adminMe'), 200)
      expect.status(await t.preflight('/get/fish', OTHER_ORIGIN, 'GET'), 200, 204)
    },
  ),
  check(
    'limit-is-per-client',
    'When a client has reached its limit, another client address still has the full limit.',
    async (t) => {
      const other = t.otherClient()
      await exhaust(t)
      expect.header(await other('/status'), HEADERS.rateRemaining, String(t.limits.requests - 1))
    },
  ),
  check('limit-window-ends', 'The next window has the full limit.', async (t) => {
    await exhaust(t)
    await t.anonymous.waitForNextWindow()
    expect.header(await t.anonymous.send('/status'), HEADERS.rateRemaining, String(t.limits.requests - 1))
  }),
])
