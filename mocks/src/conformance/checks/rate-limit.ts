import { HEADERS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import type { Answer } from '../context/answer.ts'
import type { World } from '../context/context.ts'
import { expectJson, expectMoment } from '../context/expect-answer.ts'
import { CheckSkipped, expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

/** How many requests more are counted than before, of one that is sent in between. */
export async function countedBy(world: World, between: () => Promise<unknown>): Promise<number> {
  const { anonymous } = world
  await anonymous.ensure(3)
  const before = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  await between()
  const after = numberHeader(await anonymous.send('/demo/crab'), HEADERS.rateRemaining)
  if (after > before) throw new CheckSkipped('a new window began meanwhile')
  return before - after - 1
}

/** Fails unless the answer has none of the headers of the limit. */
export function expectUncounted(answer: Answer): void {
  for (const name of [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset]) {
    expectThat(!answer.headers.has(name), `no ${name}`, 'one', answer)
  }
}

/** Asks as a browser does for a page of another origin. @throws CheckSkipped where only browsers themselves may */
export function sendPreflight({ send, needHeader }: World): Promise<Answer> {
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

const rows: readonly CheckRow[] = [
  [
    'limit-headers',
    'A counted answer says the limit, what is left, and when the window ends, in unix seconds.',
    async (world) => {
      const { requests, windowMs } = world.limits
      await world.anonymous.ensure(1)
      const answer = await world.anonymous.send('/status')
      expectSame(numberHeader(answer, HEADERS.rateLimit), requests, HEADERS.rateLimit, answer)
      const left = numberHeader(answer, HEADERS.rateRemaining)
      expectThat(left < requests, `${HEADERS.rateRemaining} below ${requests}`, left, answer)
      const now = expectMoment(expectJson(answer).timestamp, '"timestamp"', answer) / 1000
      const reset = numberHeader(answer, HEADERS.rateReset)
      const isWithin = reset >= Math.floor(now) && reset <= now + windowMs / 1000 + 1
      expectThat(isWithin, `${HEADERS.rateReset} within ${windowMs / 1000} s from now`, reset - now, answer)
    },
  ],
  [
    'limit-counts-every-variant',
    `${VARIANTS.map(([, , what]) => what).join(', ')}: each counts as one request, under one unmoving end of the window.`,
    async (world) => {
      const { anonymous } = world
      await anonymous.ensure(VARIANTS.length + 1)
      const first = await anonymous.send('/demo/crab')
      let left = numberHeader(first, HEADERS.rateRemaining)
      const reset = numberHeader(first, HEADERS.rateReset)
      for (const [method, path] of VARIANTS) {
        const answer = await anonymous.send(path, { method })
        if (numberHeader(answer, HEADERS.rateReset) > reset && numberHeader(answer, HEADERS.rateRemaining) > left) {
          throw new CheckSkipped('a new window began meanwhile')
        }
        left -= 1
        expectSame(numberHeader(answer, HEADERS.rateRemaining), left, HEADERS.rateRemaining, answer)
        expectSame(numberHeader(answer, HEADERS.rateReset), reset, HEADERS.rateReset, answer)
      }
    },
  ],
  [
    'limit-leaves-preflights-and-operations',
    'Preflights, probes, the OpenAPI document and admin endpoints are not counted.',
    async (world) => {
      const { send, superadmin } = world
      const { token } = await superadmin()
      const counted = await countedBy(world, async () => {
        expectUncounted(await send('/livez'))
        expectUncounted(await send('/openapi.json'))
        await send('/admin/me', { headers: { authorization: `Bearer ${token}` } })
      })
      expectSame(counted, 0, 'the number of requests counted in between')
      // Last: where preflights are not for programs to send, the rest is seen all the same.
      const preflights = await countedBy(world, async () => expectUncounted(await sendPreflight(world)))
      expectSame(preflights, 0, 'the number of preflights counted')
    },
  ],
]

/** What the public limit counts. */
export const rateLimitChecks = checksOf('rate-limit', rows)
