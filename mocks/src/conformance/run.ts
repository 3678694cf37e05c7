import { createAccounts } from './accounts.ts'
import { createAnonymous } from './anonymous.ts'
import type { ConformanceOptions } from './options.ts'
import { createRedaction } from './redaction.ts'
import type { CheckInfo, CheckResult, ConformanceReport } from './results.ts'
import { DeadlinePassed, runCheck } from './run-check.ts'
import { selectChecks } from './select.ts'
import { openGivenSession } from './start.ts'
import { createSend, type SendRequest } from './transport.ts'
import { sleep } from './wait.ts'
import { createWorld } from './world.ts'

const REQUEST_TIMEOUT_MS = 10_000
const DEADLINE_MS = 300_000

/**
 * The checks that a run makes, in their order: every one there is, or what `only` and `skip` leave.
 *
 * @throws RangeError when they name what is no check and no section
 * @example listChecks({ only: ['writes'] }).map(({ id }) => id)
 */
export function listChecks(selection: Pick<ConformanceOptions, 'only' | 'skip'> = {}): readonly CheckInfo[] {
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
 * @throws ConformanceStartError when nothing answers or the administrator cannot log in
 * @throws RangeError when `only` or `skip` name what is no check and no section
 * @throws the reason of `signal` when that ends the run
 * @example
 * const { failed } = await runConformance({ baseUrl: 'http://127.0.0.1:8787', admin: { username: 'admin', password } })
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { maxWaitMs = 0, deadlineMs = DEADLINE_MS, signal } = options
  const selected = selectChecks(options)
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
  redaction.keep(admin.password, options.masterApiKey ?? '')
  const sender = (via: SendRequest, signal: AbortSignal) => createSend({ baseUrl, send: via, requestTimeoutMs, signal })
  const via: SendRequest = options.fetch ?? ((request, init) => globalThis.fetch(request, init))
  const send = sender(via, ends)

  const session = await openGivenSession(send, admin)
  redaction.keep(session.token)
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
    otherClient: otherClient && (() => sender(otherClient(), ends)),
    keep: redaction.keep,
  })

  const results: CheckResult[] = []
  let left: readonly string[] = []
  try {
    for (const { check, isLeftOut } of selected) {
      const result = isLeftOut ? leftOut(check) : await runCheck(check, world, ends, redaction)
      options.signal?.throwIfAborted()
      results.push(result)
      options.onResult?.(result)
    }
  } finally {
    left = await accounts.removeAll(session.token)
  }
  return { ...summary(results), left }
}

function leftOut({ id, title, section }: CheckInfo): CheckResult {
  return { id, title, section, outcome: 'skipped', reason: 'left out on request', durationMs: 0 }
}

function summary(checks: readonly CheckResult[]): Omit<ConformanceReport, 'left'> {
  const count = (wanted: CheckResult['outcome']) => checks.filter(({ outcome }) => outcome === wanted).length
  return { checks, passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

function randomHex(): string {
  return [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
