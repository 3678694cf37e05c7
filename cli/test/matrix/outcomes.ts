import type { Fault } from '@fish-crab/mocks'
import type { RouteName } from '@fish-crab/sdk/contract'
import type { Outcome } from './row.ts'

/** The rule: how a command ends, unless its row says otherwise. */
interface Rule {
  readonly exit: number
  readonly code: RegExp
  /** What the service does with every request to one route. @default nothing */
  readonly fault?: Fault
}

/** Every way to fail, and the rule for it; the exit codes are those of `fish-cli help exit-codes`. */
export const RULES: Readonly<Record<Exclude<Outcome, 'success'>, Rule>> = {
  'bad flag': { exit: 2, code: /^usage$/ },
  400: { exit: 2, code: /^invalid_payload$/, fault: { status: 400 } },
  401: { exit: 4, code: /^invalid_(credentials|session)$/, fault: { status: 401 } },
  403: { exit: 4, code: /^forbidden$/, fault: { status: 403 } },
  404: { exit: 5, code: /^user_not_found$/, fault: { status: 404 } },
  429: { exit: 75, code: /^rate_limited$/, fault: { status: 429 } },
  500: { exit: 1, code: /^internal_error$/, fault: { status: 500 } },
  503: { exit: 69, code: /^unavailable$/, fault: { status: 503 } },
  'no server': { exit: 69, code: /^unreachable$/ },
  'an answer of another shape': { exit: 1, code: /^invalid_response$/, fault: 'wrong-shape' },
  'half an answer': { exit: 1, code: /^invalid_response$/, fault: 'malformed-json' },
  'a page instead of an answer': { exit: 1, code: /^invalid_response$/, fault: 'wrong-content-type' },
}

/** Routes whose success is 204: there is no body that could be wrong. */
export const WITHOUT_BODY: readonly RouteName[] = [
  ...(['deleteUser', 'deleteAdmin', 'deleteOwnFish', 'moveOwnFish', 'deleteUserFish', 'moveUserFish'] as const),
]

/** What the service does with requests, by outcome. */
export const FAULTS: Readonly<Partial<Record<Outcome, Fault>>> = Object.fromEntries(
  Object.entries(RULES).flatMap(([outcome, { fault }]) => (fault ? [[outcome, fault]] : [])),
)
