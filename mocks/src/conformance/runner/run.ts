import { isUserName, ROUTES, USER_NAME_RULE } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { assertKnownKeys, keysOf } from '../../service/check-options.ts'
import { createAccounts } from '../context/accounts.ts'
import { createAnonymous } from '../context/anonymous.ts'
import { createWorld } from '../context/context.ts'
import { CheckSkipped, NO_RESPONSE, NoAnswer } from '../context/expectation.ts'
import { createRedaction } from '../context/redaction.ts'
import { createSend, type Send, type SendRequest } from '../context/transport.ts'
import { sleep } from '../context/wait.ts'
import type { ConformanceAdministrator, ConformanceOptions, ConformanceUser } from './options.ts'
import type { CheckInfo, CheckResult, ConformanceReport, FailureCause } from './results.ts'
import { DeadlinePassed, runCheck } from './run-check.ts'
import { selectChecks } from './select.ts'
import { checkReachable, openGivenSession } from './start.ts'

const REQUEST_TIMEOUT_MS = 10_000
const DEADLINE_MS = 300_000

const OPTIONS = keysOf<ConformanceOptions>({
  baseUrl: 1,
  admin: 1,
  user: 1,
  masterApiKey: 1,
  allowedOrigin: 1,
  rateLimit: 1,
  adminRequests: 1,
  fetch: 1,
  otherClient: 1,
  maxWaitMs: 1,
  wait: 1,
  requestTimeoutMs: 1,
  deadlineMs: 1,
  signal: 1,
  only: 1,
  skip: 1,
  onResult: 1,
})

/**
 * The checks that a run makes, in their order: every one there is, or what `only` and `skip` leave.
 *
 * @throws RangeError when they name what is no check and no section
 * @throws TypeError for unknown options
 * @example listChecks({ only: ['writes'] }).map(({ id }) => id)
 */
export function listChecks(selection: Pick<ConformanceOptions, 'only' | 'skip'> = {}): readonly CheckInfo[] {
  assertKnownKeys('listChecks()', selection, OPTIONS)
  return selectChecks(selection).flatMap(({ check: { id, title, section }, isLeftOut }) =>
    isLeftOut ? [] : [{ id, title, section }],
  )
}

/**
 * Holds an implementation to the contract. Everything is seen from outside. Only users and administrators of the run's
 * own are touched, and they are removed at the end, whatever happens; what is left of them is in the audit log.
 *
 * The checks of the rate limit use up this client's window, and those of wrong credentials fail to log in a few times.
 * The lists that name others, the leaderboard and the audit log, are read, and nothing of others is told.
 *
 * Without an administrator it acts as the given user, whose collections then keep what the checks write.
 *
 * When the service no longer responds, it stops: the checks that are left are skipped.
 *
 * @throws ConformanceStartError when nothing answers or the administrator cannot log in
 * @throws TypeError for unknown options, and when neither `admin` nor `user` is given, or both, or `user` cannot be one
 * @throws RangeError when `only` or `skip` name what is no check and no section
 * @throws the reason of `signal` when that ends the run
 * @example
 * const { failed } = await runConformance({ baseUrl: 'http://127.0.0.1:8787', admin: { username: 'admin', password } })
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  assertKnownKeys('runConformance()', options, OPTIONS)
  const { maxWaitMs = 0, deadlineMs = DEADLINE_MS, signal } = options
  const selected = selectChecks(options)
  checkIdentity(options)
  signal?.throwIfAborted()
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new DeadlinePassed()), deadlineMs + maxWaitMs)
  const ends = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal
  try {
    return await runSelected(options, selected, ends)
  } finally {
    clearTimeout(timer)
  }
}

async function runSelected(
  options: ConformanceOptions,
  selected: ReturnType<typeof selectChecks>,
  ends: AbortSignal,
): Promise<ConformanceReport> {
  const { baseUrl, admin, rateLimit, maxWaitMs = 0, requestTimeoutMs = REQUEST_TIMEOUT_MS, otherClient } = options
  const redaction = createRedaction()
  const { user } = options
  redaction.keep(admin?.password ?? '', options.masterApiKey ?? '')
  redaction.keep(user?.fernetKey ?? '', user?.apiKey ?? '', user?.password ?? '')
  const sender = (via: SendRequest, signal: AbortSignal) => createSend({ baseUrl, send: via, requestTimeoutMs, signal })
  const via: SendRequest = options.fetch ?? ((request, init) => globalThis.fetch(request, init))
  const writes = countWrites(sender(via, ends), user)

  const session = admin ? await openGivenSession(writes.send, admin) : undefined
  if (session) redaction.keep(session.token)
  else await checkReachable(writes.send)
  const send = session ? writes.send : publicOnly(writes.send)
  const accounts = createAccounts({
    send: sender(via, new AbortController().signal),
    keep: redaction.keep,
    random: randomHex,
  })
  const world = createWorld({
    options,
    send,
    accounts,
    session,
    anonymous: createAnonymous({
      send,
      maxWaitMs,
      limit: rateLimit?.requests,
      wait: (milliseconds) => (options.wait ?? sleep)(milliseconds, ends),
    }),
    otherClient:
      otherClient && (() => (session ? sender(otherClient(), ends) : publicOnly(sender(otherClient(), ends)))),
    keep: redaction.keep,
  })

  const results: CheckResult[] = []
  let left: readonly string[] = []
  let stopped = false
  try {
    for (const { check, isLeftOut } of selected) {
      const reason = isLeftOut ? 'left out on request' : stopped ? 'the service no longer responds' : undefined
      const result = reason === undefined ? await runCheck(check, world, ends, redaction) : skipped(check, reason)
      options.signal?.throwIfAborted()
      if (result.cause === NO_RESPONSE) stopped = await isGone(writes.send)
      results.push(result)
      options.onResult?.(result)
    }
  } finally {
    // Nobody is there to remove it: each name would be waited for.
    left = session && !stopped ? await accounts.removeAll(session.token) : accounts.all()
  }
  return { ...summary(results), stopped, left: [...left, ...writes.left()] }
}

/** @throws TypeError when a run would act as nobody, or as a user that cannot be one */
function checkIdentity({ admin, user }: ConformanceOptions): void {
  if (!admin && !user) throw new TypeError('runConformance() takes an admin, or a user for the public endpoints alone.')
  if (admin && user) throw new TypeError('runConformance() takes an admin or a user, not both.')
  if (admin) assertKnownKeys('admin', admin, keysOf<ConformanceAdministrator>({ username: 1, password: 1 }))
  if (!user) return
  assertKnownKeys('user', user, keysOf<ConformanceUser>({ name: 1, fernetKey: 1, apiKey: 1, password: 1 }))
  if (!isUserName(user.name)) throw new TypeError(`user.name must be ${USER_NAME_RULE}.`)
  try {
    createFernet(user.fernetKey)
  } catch {
    throw new TypeError('user.fernetKey must be 32 bytes in base64.')
  }
}

/** All but the public endpoints: an implementation that has no administrator need not have them. */
const NOT_PUBLIC = /^\/(v1\/)?(admin|livez|readyz|metrics|openapi\.json|docs)([/?]|$)/

/** Skips the check that asks for more than a public endpoint. */
function publicOnly(send: Send): Send {
  return async (path, init) => {
    if (!NOT_PUBLIC.test(path)) return send(path, init)
    throw new CheckSkipped('it asks for more than the public endpoints, and no administrator is given (option admin)')
  }
}

/** Counts what the given user is left with: there is no way to remove it. */
function countWrites(send: Send, user: ConformanceUser | undefined) {
  let records = 0
  const counting: Send = async (path, init) => {
    const answer = await send(path, init)
    if (answer.status === 201 && init?.method === 'POST') records += 1
    return answer
  }
  return { send: counting, left: () => (user && records > 0 ? [`${records} records of the user ${user.name}`] : []) }
}

/** Whether nothing responds any more, whatever it would say: one lost response is none yet. */
async function isGone(send: Send): Promise<boolean> {
  const isLost = () =>
    send(ROUTES.livez.path).then(
      () => false,
      (error: unknown) => error instanceof NoAnswer,
    )
  return (await isLost()) && isLost()
}

function skipped({ id, title, section }: CheckInfo, reason: string): CheckResult {
  return { id, title, section, outcome: 'skipped', reason, durationMs: 0 }
}

function causesOf(checks: readonly CheckResult[]): FailureCause[] {
  const ids = new Map<string, string[]>()
  for (const { id, cause } of checks) if (cause !== undefined) ids.set(cause, [...(ids.get(cause) ?? []), id])
  return [...ids]
    .map(([cause, checks]) => ({ cause, checks }))
    .sort((one, other) => other.checks.length - one.checks.length)
}

function summary(checks: readonly CheckResult[]): Omit<ConformanceReport, 'left' | 'stopped'> {
  const count = (wanted: CheckResult['outcome']) => checks.filter(({ outcome }) => outcome === wanted).length
  return {
    checks,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    causes: causesOf(checks),
  }
}

function randomHex(): string {
  return [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
