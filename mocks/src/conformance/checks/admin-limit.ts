import { HEADERS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import { expectError, expectStatus } from '../context/expect-answer.ts'
import { CheckSkipped, expectSame } from '../context/expectation.ts'
import { sendAs } from '../context/own-accounts.ts'
import { sendMany } from '../context/send-many.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

/** More than this is not spent knowingly. */
const MOST_REQUESTS = 1000
const ONE_TOO_MANY = 5

const rows: readonly CheckRow[] = [
  [
    'admin-limit',
    'An administrator has a limit of its own: exactly so many requests pass, then 429 with Retry-After, for this one alone.',
    async (world) => {
      const { adminRequests } = world.limits
      if (adminRequests > MOST_REQUESTS) throw new CheckSkipped(`it would take ${adminRequests} requests`)
      const root = await world.superadmin()
      const { token } = await world.accounts.newAdmin(root.token, 'admin')
      const me = () => sendAs(world.send, token, 'adminMe', 'GET')
      const answers = await sendMany(adminRequests + ONE_TOO_MANY, me)
      for (const answer of answers) expectStatus(answer, 200, 429)
      expectSame(answers.filter(({ status }) => status === 200).length, adminRequests, 'the requests that passed')
      const answer = await me()
      expectError(answer, 'rate_limited')
      numberHeader(answer, HEADERS.retryAfter)
      expectStatus(await sendAs(world.send, root.token, 'adminMe', 'GET'), 200)
    },
  ],
]

/** The limit of each administrator. */
export const adminLimitChecks = checksOf('admin', rows)
