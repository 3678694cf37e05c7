import { isUserName, ROUTES, USER_NAME_RULE } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { sleep } from '../../../../sdk/src/internal/wait.ts'
import { assertKnownKeys, keysOf } from '../../service/check-options.ts'
import { type Check, type CheckInfo, SECTIONS } from '../checks/check.ts'
import { CHECKS } from '../checks/index.ts'
import { createAccounts } from '../context/accounts.ts'
import { createAnonymous } from '../context/anonymous.ts'
import { type ConformanceUser, createTestContext, type TestContext } from '../context/context.ts'
import { CheckSkipped, ConformanceFailure, NO_RESPONSE, NoResponse } from '../context/expect.ts'
import { createSend, type Send, type SendRequest } from '../context/send.ts'
import type { ConformanceAdministrator, ConformanceOptions } from './options.ts'
import type { CheckResult, ConformanceReport } from './report.ts'
import { checkReachable, logIn } from './start.ts'

const REQUEST_TIMEOUT_MS = 10_000
const DEADLINE_MS = 300_000
const DEADLINE_EXCEEDED = 'the deadline of the run was exceeded'

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
 * Lists the checks that a run would make, in order.
 *
 * @throws RangeError when `only` or `skip` name an unknown check or section
 * @throws TypeError for unknown options
 * @example listChecks({ only: ['writes'] }).map(({ id }) => id)
 */
export function listChecks(selection: Pick<ConformanceOptions, 'only' | 'skip'> = {}): readonly CheckInfo[] {
  assertKnownKeys('listChecks()', selection, OPTIONS)
  return selectChecks(selection).flatMap(({ check: { id, title, section }, isSkipped }) =>
    isSkipped ? [] : [{ id, title, section }],
  )
}

/**
 * Checks an implementation against the contract, over HTTP. The run uses only users and administrators that it creates,
 * and removes them at the end in any case; their entries in the audit log remain.
 *
 * The checks of the rate limit exhaust this client's window, and the checks of wrong credentials cause several failed
 * logins. The run reads the leaderboard and the audit log, but the report contains nothing about other users.
 *
 * Without `admin`, the run acts as the given `user`. The catches that the checks write stay in the user's collections.
 *
 * When the service no longer responds, the run stops, and the remaining checks are skipped.
 *
 * @throws ConformanceStartError when the service does not respond or the administrator cannot log in
 * @throws TypeError when neither `admin` nor `user` is given, or both, or when `user` is invalid
 * @throws TypeError for unknown options
 * @throws RangeError when `only` or `skip` name an unknown check or section
 * @throws the reason of `signal` when `signal` aborts the run
 * @example
 * const { failed } = await runConformance({ baseUrl: 'http://127.0.0.1:8787', admin: { username: 'admin', password } })
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  checkOptions(options)
  const { maxWaitMs = 0, deadlineMs = DEADLINE_MS, signal } = options
  const selected = selectChecks(options)
  signal?.throwIfAborted()
  const deadline = new AbortController()
  const expected = 'the whole run to end by its deadline'
  const exceeded = new ConformanceFailure(expected, 'this check was still running', undefined, DEADLINE_EXCEEDED)
  const timer = setTimeout(() => deadline.abort(exceeded), deadlineMs + maxWaitMs)
  try {
    return await runSelected(options, selected, signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function runSelected(
  options: ConformanceOptions,
  selected: readonly SelectedCheck[],
  signal: AbortSignal,
): Promise<ConformanceReport> {
  const { baseUrl, admin, user, rateLimit, maxWaitMs = 0, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const redaction = createRedactor()
  redaction.add(admin?.password ?? '', options.masterApiKey ?? '')
  redaction.add(user?.fernetKey ?? '', user?.apiKey ?? '', user?.password ?? '')
  const sendWith = (fetch: SendRequest, signal: AbortSignal) =>
    createSend({ baseUrl, send: fetch, requestTimeoutMs, signal })
  const fetch: SendRequest = options.fetch ?? ((request, init) => globalThis.fetch(request, init))
  const writes = countWrites(sendWith(fetch, signal), user)

  const session = admin ? await logIn(writes.send, admin) : undefined
  if (session) redaction.add(session.token)
  else await checkReachable(writes.send)
  const restrict = (send: Send) => (session ? send : publicOnly(send))
  // Accounts use a separate signal, so that after an abort of the run all accounts are known and can be removed.
  const accounts = createAccounts(sendWith(fetch, new AbortController().signal), redaction.add, randomHex)
  const { otherClient } = options
  const send = restrict(writes.send)
  const context = createTestContext({
    configuration: options,
    send,
    accounts,
    session,
    anonymous: createAnonymous({
      send,
      maxWaitMs,
      limit: rateLimit?.requests,
      wait: (milliseconds) => (options.wait ?? sleep)(milliseconds, signal),
    }),
    otherClient: otherClient && (() => restrict(sendWith(otherClient(), signal))),
    redact: redaction.add,
  })

  const results: CheckResult[] = []
  let notRemoved: readonly string[] = []
  let stoppedEarly = false
  try {
    for (const { check, isSkipped } of selected) {
      const reason = isSkipped ? 'skipped on request' : stoppedEarly ? 'the service no longer responds' : undefined
      const result = await runCheck(
        check,
        context,
        reason ?? (signal.aborted ? DEADLINE_EXCEEDED : undefined),
        redaction,
      )
      options.signal?.throwIfAborted()
      if (result.cause === NO_RESPONSE) stoppedEarly = await isGone(writes.send)
      results.push(result)
      options.onResult?.(result)
    }
  } finally {
    // If the service no longer responds, the removal of each account would time out.
    notRemoved = session && !stoppedEarly ? await accounts.removeAll(session.token) : accounts.all()
  }
  return { ...summarize(results), stoppedEarly, notRemoved: [...notRemoved, ...writes.notRemoved()] }
}

function checkOptions(options: ConformanceOptions): void {
  assertKnownKeys('runConformance()', options, OPTIONS)
  const { admin, user } = options
  if (admin) assertKnownKeys('admin', admin, keysOf<ConformanceAdministrator>({ username: 1, password: 1 }))
  if (user) assertKnownKeys('user', user, keysOf<ConformanceUser>({ name: 1, fernetKey: 1, apiKey: 1, password: 1 }))
  if (!admin && !user) throw new TypeError('runConformance() requires admin, or user for the public endpoints alone.')
  if (admin && user) throw new TypeError('runConformance() takes either admin or user, not both.')
  if (!user) return
  if (!isUserName(user.name)) throw new TypeError(`user.name must be ${USER_NAME_RULE}.`)
  try {
    createFernet(user.fernetKey)
  } catch {
    throw new TypeError('user.fernetKey must be 32 bytes in base64.')
  }
}

interface SelectedCheck {
  readonly check: Check
  readonly isSkipped: boolean
}

function selectChecks({ only, skip = [] }: Pick<ConformanceOptions, 'only' | 'skip'>): readonly SelectedCheck[] {
  const known = new Set<string>([...Object.keys(SECTIONS), ...CHECKS.map(({ id }) => id)])
  for (const name of [...(only ?? []), ...skip]) {
    if (!known.has(name)) throw new RangeError(`Unknown check or section "${name}". listChecks() lists them.`)
  }
  const isNamed = ({ id, section }: Check, names: readonly string[]) => names.includes(id) || names.includes(section)
  return CHECKS.filter((check) => only === undefined || isNamed(check, only)).map((check) => ({
    check,
    isSkipped: isNamed(check, skip),
  }))
}

/** Paths that an implementation with only the public endpoints does not need. */
const NOT_PUBLIC = /^\/(v1\/)?(admin|livez|readyz|metrics|openapi\.json|docs)([/?]|$)/

function publicOnly(send: Send): Send {
  return async (path, init) => {
    if (!NOT_PUBLIC.test(path)) return send(path, init)
    throw new CheckSkipped(
      'requires more than the public endpoints, and no administrator is given (admin, FISH_ADMIN_PASSWORD)',
    )
  }
}

/** Counts the records that stay with the given user, since they cannot be removed. */
function countWrites(send: Send, user: ConformanceUser | undefined) {
  let records = 0
  const counting: Send = async (path, init) => {
    const response = await send(path, init)
    if (response.status === 201 && init?.method === 'POST') records += 1
    return response
  }
  return {
    send: counting,
    notRemoved: () => (user && records > 0 ? [`${records} records of the user ${user.name}`] : []),
  }
}

async function isGone(send: Send): Promise<boolean> {
  const isLost = () =>
    send(ROUTES.livez.path).then(
      () => false,
      (error: unknown) => error instanceof NoResponse,
    )
  return (await isLost()) && isLost()
}

function summarize(checks: readonly CheckResult[]): Omit<ConformanceReport, 'notRemoved' | 'stoppedEarly'> {
  const count = (outcome: CheckResult['outcome']) => checks.filter((check) => check.outcome === outcome).length
  const causes = [...Map.groupBy(checks, ({ cause }) => cause)]
    .flatMap(([cause, group]) => (cause === undefined ? [] : [{ cause, checks: group.map(({ id }) => id) }]))
    .sort((one, other) => other.checks.length - one.checks.length)
  return { checks, passed: count('passed'), failed: count('failed'), skipped: count('skipped'), causes }
}

function randomHex(): string {
  return [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function runCheck(
  { id, title, section, run }: Check,
  context: TestContext,
  skipReason: string | undefined,
  redaction: Redaction,
): Promise<CheckResult> {
  const startedAt = performance.now()
  let outcome: Outcome = { outcome: 'passed' }
  try {
    if (skipReason !== undefined) throw new CheckSkipped(skipReason)
    await run(context)
  } catch (error) {
    outcome = outcomeOf(error, redaction)
  }
  return { id, title, section, ...outcome, durationMs: Math.round((performance.now() - startedAt) * 10) / 10 }
}

type Outcome = Omit<CheckResult, 'id' | 'title' | 'section' | 'durationMs'>

function outcomeOf(error: unknown, { clean }: Redaction): Outcome {
  if (error instanceof CheckSkipped) return { outcome: 'skipped', reason: clean(error.message) }
  if (error instanceof ConformanceFailure) {
    const { expected, actual, requestId, probableCause } = error
    return {
      outcome: 'failed',
      expected: clean(expected),
      actual: clean(actual),
      cause: clean(probableCause),
      ...(requestId === undefined ? {} : { requestId }),
    }
  }
  // The response has an unexpected form. The error message is omitted, since it may contain secrets.
  const kind = error instanceof Error ? error.name : typeof error
  return {
    outcome: 'failed',
    expected: 'a response of the documented form',
    actual: `a response that caused a ${kind}`,
    cause: `responses of an undocumented form, which caused a ${kind}`,
  }
}

type Redaction = ReturnType<typeof createRedactor>

/** Shorter secrets are not redacted, since they would match unrelated words. */
const MIN_LENGTH = 6

function createRedactor() {
  const secrets = new Set<string>()
  return {
    add(...added: readonly string[]): void {
      for (const secret of added) if (secret.length >= MIN_LENGTH) secrets.add(secret)
    },
    clean(text: string): string {
      let cleaned = text
      for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[secret]')
      return cleaned
    },
  }
}
