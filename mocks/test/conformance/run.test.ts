import {
  type CheckResult,
  ConformanceStartError,
  runConformance,
  type SendRequest,
  tableReport,
} from '@fish-crab/mocks/conformance'
import { canonicalPath } from '@fish-crab/server/app'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ADMIN, BASE_URL, MASTER, openDirect } from './direct.ts'
import { failuresOf } from './failures.ts'

/** Returns the outcome of each check, or the reason for skipping the check. */
function resultsOf(checks: readonly CheckResult[]): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, outcome, reason }) => [id, reason ?? outcome]))
}

/**
 * Leaves requests to `/demo/fish` without a response, and advances fake timers on each of them. Time stands still
 * during other requests.
 */
function silentWhile(ms: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return (send: SendRequest): SendRequest =>
    (request) => {
      if (!request.url.endsWith('/demo/fish')) return send(request)
      vi.advanceTimersByTime(ms)
      return new Promise(() => {})
    }
}

describe('a run', () => {
  it('reports the reason for each skipped check', async () => {
    const { options } = await openDirect()
    const { masterApiKey: _, allowedOrigin: __, otherClient: ___, maxWaitMs: ____, ...rest } = options
    const only = ['bypass-master-key', 'bypass-allowed-origin', 'limit-is-per-client', 'limit-window-ends']
    const { checks } = await runConformance({ ...rest, only })
    expect(resultsOf(checks)).toEqual({
      'bypass-master-key': 'requires the master API key (masterApiKey, FISH_MASTER_API_KEY)',
      'bypass-allowed-origin': 'requires an allowed origin (allowedOrigin, --allowed-origin)',
      'limit-is-per-client': 'requires a second client address (otherClient)',
      'limit-window-ends': expect.stringMatching(/window of this client, which ends in \d+ s, later than maxWaitMs/),
    })
  })

  it.each(['limit-refusal', 'limit-refusal-is-cors'])(
    'skips the check %s if a new rate limit window starts before the refused request',
    async (id) => {
      let refused = 0
      const { options } = await openDirect({
        around: (send) => async (request) => {
          const response = await send(request)
          refused += response.status === 429 ? 1 : 0
          // Start a new window after the fifth refusal, the last request that exhausts the window.
          if (response.status === 429 && refused === 5) await options.wait?.(300_000, request.signal)
          return response
        },
      })
      const { checks } = await runConformance({ ...options, only: [id] })
      expect(checks).toMatchObject([{ id, outcome: 'skipped', reason: 'a new window started in the meantime' }])
    },
  )

  it.each([
    ['limit-is-exact', 1],
    ['limit-is-exact', 2],
    ['limit-refusal', 1],
    ['limit-refusal', 2],
    ['limit-refusal-is-cors', 1],
    ['limit-refusal-is-cors', 2],
  ] as const)('skips the check %s if a new window starts before request %i of the check', async (id, first) => {
    let sent = 0
    let moved: Promise<void> | undefined
    const { options, app } = await openDirect({
      around: (send) => async (request) => {
        if (request.url.endsWith('/demo/crab')) sent += 1
        if (sent >= first) {
          moved ??= options.wait?.(300_000, request.signal)
          await moved
        }
        return send(request)
      },
    })
    // Use up 20 requests, so that the few further requests of the check do not exhaust the new window.
    for (let count = 0; count < 20; count += 1) await app.fetch(new Request('http://service.test/status'))
    const { checks } = await runConformance({ ...options, only: [id] })
    expect(checks).toMatchObject([{ id, outcome: 'skipped', reason: 'a new window started in the meantime' }])
  })

  it('skips the checks that need remaining requests if the window is exhausted, and passes the other checks', async () => {
    const { options, app } = await openDirect()
    for (let count = 0; count < 26; count += 1) await app.fetch(new Request('http://service.test/status'))
    const only = ['limit-headers', 'limit-is-exact', 'limit-refusal', 'key-own']
    const { checks } = await runConformance({ ...options, maxWaitMs: 0, only })
    const outcomes = Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]))
    // The check of a refusal needs no remaining requests.
    const passed = { 'limit-refusal': 'passed', 'key-own': 'passed' }
    expect(outcomes).toEqual({ 'limit-headers': 'skipped', 'limit-is-exact': 'skipped', ...passed })
  })

  it('passes immediately after an earlier run from the same address, since each run uses different names for failed logins', async () => {
    const { options } = await openDirect()
    const { otherClient: _, maxWaitMs: __, ...rest } = options
    const only = ['key-tells-no-names', 'login-tells-no-names', 'reset-password']
    await runConformance({ ...rest, only })
    expect(await runConformance({ ...rest, only })).toMatchObject({ passed: only.length, failed: 0 })
  })

  it('continues if the first user cannot be created, and reports only one failed check among the checks that need a user', async () => {
    const { options } = await openDirect({
      around: (send) => {
        let isFirst = true
        return async (request) => {
          if (!isFirst || request.method !== 'POST' || !request.url.endsWith('/admin/users')) return send(request)
          isFirst = false
          throw new TypeError('fetch failed')
        }
      },
    })
    const { failed } = await runConformance({
      ...options,
      only: ['key-own', 'key-by-administrator', 'key-of-another'],
    })
    expect(failed).toBe(1)
  })

  it('skips the check of the exact limit if a window allows too many requests to exhaust the window', async () => {
    const { options } = await openDirect({ rateLimit: { requests: 5000, windowMs: 300_000 } })
    const { checks, failed } = await runConformance({ ...options, only: ['rate-limit'] })
    expect(failed).toBe(0)
    expect(checks.find(({ id }) => id === 'limit-is-exact')).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringMatching(/^would require 4\d+ requests/),
    })
  })

  it('creates no users if the role of the administrator is admin, and reports the reason', async () => {
    const { options, requests } = await openDirect({ role: 'admin' })
    const only = ['user-created', 'role-list-users', 'role-list-admins', 'session-list-users']
    const { checks, notRemoved } = await runConformance({ ...options, only })
    expect(resultsOf(checks)).toEqual({
      'user-created': 'requires its own users, which only a superadmin can remove',
      'role-list-users': 'passed',
      'role-list-admins': 'passed',
      'session-list-users': 'passed',
    })
    expect(notRemoved).toEqual([])
    expect(requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/admin/users'))).toEqual([])
  })

  it('runs only the checks with the given ids and the checks in the given sections', async () => {
    const { options } = await openDirect()
    const { checks } = await runConformance({ ...options, only: ['status', 'replay-fish'], skip: ['demo-fish'] })
    expect(checks.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['status-ok', 'passed'],
      ['demo-fish', 'skipped'],
      ['demo-crab', 'passed'],
      ['replay-fish', 'passed'],
    ])
    await expect(runConformance({ ...options, only: ['nonsense'] })).rejects.toThrow(RangeError)
  })

  it('reports each result immediately', async () => {
    const { options } = await openDirect()
    const reported: CheckResult[] = []
    const { checks } = await runConformance({
      ...options,
      only: ['status'],
      onResult: (result) => reported.push(result),
    })
    expect(reported).toEqual(checks)
    for (const { durationMs } of reported) expect(durationMs).toBeGreaterThanOrEqual(0)
  })

  it('rejects with the reason and removes its accounts if its signal aborts', async () => {
    const { options, accounts } = await openDirect()
    const controller = new AbortController()
    const reason = new Error('enough')
    const only = ['key-own', 'key-of-another', 'audit-login', 'status']
    const onResult = ({ id }: CheckResult) => {
      if (id === 'audit-login') controller.abort(reason)
    }
    await expect(runConformance({ ...options, only, signal: controller.signal, onResult })).rejects.toBe(reason)
    expect(await accounts()).toEqual({ users: [], admins: ['root'] })
  })

  it('also removes a user whose creation was in progress when the signal aborted', async () => {
    const controller = new AbortController()
    const { options, accounts } = await openDirect({
      around: (send) => async (request) => {
        const response = send(request)
        if (request.method === 'POST' && request.url.endsWith('/admin/users')) controller.abort(new Error('enough'))
        return response
      },
    })
    await expect(runConformance({ ...options, signal: controller.signal })).rejects.toThrow('enough')
    expect(await accounts()).toEqual({ users: [], admins: ['root'] })
  })

  it('ends if its signal aborts during a request that never settles', async () => {
    const controller = new AbortController()
    const { options } = await openDirect({
      around: (send) => (request) => {
        if (!request.url.endsWith('/status')) return send(request)
        controller.abort(new Error('enough'))
        return new Promise(() => {})
      },
    })
    const run = runConformance({ ...options, only: ['status'], signal: controller.signal })
    await expect(run).rejects.toThrow('enough')
  })

  it('removes its accounts even if all requests outside of account administration fail', async () => {
    const { options, accounts } = await openDirect({
      around: (send) => async (request) => {
        const isNeeded = /\/admin\/(login|me|users|admins)/.test(request.url)
        return isNeeded ? send(request) : new Response('broken', { status: 500 })
      },
    })
    const report = await runConformance({ ...options, only: ['reads'] })
    expect(report.failed).toBeGreaterThan(0)
    expect(report.notRemoved).toEqual([])
    expect(await accounts()).toEqual({ users: [], admins: ['root'] })
  })

  it('lists the accounts that could not be removed', async () => {
    const { options } = await openDirect({
      around: (send) => async (request) =>
        request.method === 'DELETE' ? new Response(null, { status: 500 }) : send(request),
    })
    const { notRemoved } = await runConformance({ ...options, only: ['key-by-administrator'] })
    expect(notRemoved).toEqual([expect.stringMatching(/^Conformance-/), expect.stringMatching(/^Conformance-/)])
  })

  it('cancels an endless response, and passes a signal to the given fetch', async () => {
    const { options } = await openDirect()
    const signals: (AbortSignal | undefined)[] = []
    let isCancelled = false
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
        cancel() {
          isCancelled = true
        },
      })
    const run = runConformance({
      ...options,
      async fetch(_, init) {
        signals.push(init?.signal)
        return new Response(endless())
      },
    })
    await expect(run).rejects.toBeInstanceOf(ConformanceStartError)
    expect(isCancelled).toBe(true)
    expect(signals[0]).toBeInstanceOf(AbortSignal)
  })

  it('fails a check after the timeout if the service does not respond', async () => {
    const { options } = await openDirect({ around: silentWhile(300) })
    const { checks } = await runConformance({ ...options, only: ['status'], requestTimeoutMs: 300 })
    expect(checks.find(({ id }) => id === 'demo-fish')).toMatchObject({
      outcome: 'failed',
      expected: 'a response',
      actual: 'none within 300 ms',
    })
    expect(checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1)
  })

  it('stops at its deadline, fails the running check, and skips the remaining checks', async () => {
    const { options, accounts } = await openDirect({ around: silentWhile(150) })
    const { checks, failed } = await runConformance({
      ...options,
      maxWaitMs: 0,
      only: ['status', 'reads'],
      deadlineMs: 150,
    })
    expect(failed).toBe(1)
    expect(checks.find(({ outcome }) => outcome === 'failed')?.actual).toBe('this check was still running')
    expect(checks.at(-1)).toMatchObject({ outcome: 'skipped', reason: 'the deadline of the run was exceeded' })
    expect(await accounts()).toEqual({ users: [], admins: ['root'] })
  })

  it('redacts secrets in failures, even if the service returns all secrets that it received', async () => {
    const keys = new Set<string>()
    const { options } = await openDirect({
      // The service returns the received headers and body in fields that the report shows.
      around: (send) => async (request) => {
        const key = request.headers.get('x-api-key') ?? ''
        if (key.length > 20) keys.add(key)
        const isNeeded = /\/admin\/(login|me|users$|admins)/.test(request.url)
        if (isNeeded) return send(request)
        const text = JSON.stringify([...request.headers, await request.text()])
        return Response.json({ error: text, code: text, user: text, id: text }, { status: 400, headers: { etag: 'x' } })
      },
    })
    const only = ['reads', 'tokens', 'key', 'v1-list-users', 'master-key-opens-nothing-else']
    const report = await runConformance({ ...options, only })
    expect(report.failed).toBeGreaterThan(0)
    const text = JSON.stringify(report)
    for (const secret of [ADMIN.password, MASTER]) expect(text).not.toContain(secret)
    expect(keys.size).toBeGreaterThan(1)
    for (const key of keys) expect(text).not.toContain(key)
  })
})

describe('a run that cannot start', () => {
  it.each([
    ['unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['invalid_credentials', async () => Response.json({}, { status: 401 })],
    ['rate_limited', async () => Response.json({}, { status: 429, headers: { 'retry-after': '65' } })],
    ['unexpected_response', async () => new Response('<html>')],
    ['unexpected_response', async () => Response.json({}, { status: 500 })],
  ])('rejects with the error code %s', async (code, fetch) => {
    const { options } = await openDirect()
    const run = runConformance({ ...options, fetch })
    await expect(run).rejects.toBeInstanceOf(ConformanceStartError)
    const retryAfterMs = code === 'rate_limited' ? 65_000 : undefined
    await expect(run).rejects.toMatchObject({ name: 'ConformanceStartError', code, retryAfterMs })
  })

  it('sends no request if its signal is already aborted', async () => {
    const { options, requests } = await openDirect()
    await expect(runConformance({ ...options, signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
    expect(requests).toEqual([])
    expect(
      failuresOf({ checks: [], passed: 0, failed: 0, skipped: 0, causes: [], stoppedEarly: false, notRemoved: [] }),
    ).toEqual([])
  })
})

describe('a run with a given user and no administrator', () => {
  /** Opens a service that serves only the public endpoints, and creates a user. */
  async function openPublic(around: (send: SendRequest) => SendRequest = (send) => send) {
    const { app, options, requests } = await openDirect({
      around: (send) =>
        around((request, init) => {
          const { method, headers, url } = request
          const isServed = !/^\/(admin|livez|readyz)(\/|$)/.test(canonicalPath(url))
          return send(isServed ? request : new Request(`${BASE_URL}/nowhere`, { method, headers }), init)
        }),
    })
    const { name, fernetKey, apiKey, password } = await app.users.create({ name: 'Alex' })
    const { admin: _, masterApiKey: __, skip: ___, ...base } = options
    return { options: base, user: { name, fernetKey }, apiKey, password, requests }
  }

  it('checks the public endpoints, and reports its leftover records once', async () => {
    const { options, user, apiKey, password } = await openPublic()
    const only = ['reads', 'writes', 'key-own', 'session-list-users', 'user-created']
    const report = await runConformance({ ...options, only, user: { ...user, apiKey, password } })
    expect(failuresOf(report)).toEqual([])
    expect(report.notRemoved).toEqual([expect.stringMatching(/^\d+ records of the user Alex$/)])
    expect(tableReport(report).match(/records of the user Alex/g)).toHaveLength(1)
    expect(resultsOf(report.checks)).toMatchObject({
      'key-own': 'passed',
      'write-fish-short': 'passed',
      'session-list-users':
        'requires more than the public endpoints, and no administrator is given (admin, FISH_ADMIN_PASSWORD)',
      'user-created': 'requires an administrator, and none is given (admin, FISH_ADMIN_PASSWORD)',
    })
    expect(JSON.stringify(report)).not.toContain(user.fernetKey)
  })

  it('finds violations of the contract', async () => {
    const { options, user, apiKey } = await openPublic((send) => async (request, init) => {
      const response = await send(request, init)
      return request.method === 'POST' && response.status === 201
        ? new Response(response.body, { status: 200, headers: response.headers })
        : response
    })
    const only = ['write-fish-short', 'write-fish-several', 'write-crab-short']
    const { failed, causes } = await runConformance({ ...options, only, user: { ...user, apiKey } })
    expect(causes.map(({ cause }) => cause)).toEqual(['POST /post/fish responds 200', 'POST /post/crab responds 200'])
    expect(causes.flatMap(({ checks }) => checks)).toHaveLength(failed)
  })

  it('needs no API key, but without a key runs only the checks that fit into one rate limit window', async () => {
    const { options, user } = await openPublic()
    const report = await runConformance({ ...options, user, maxWaitMs: 0, only: ['writes', 'replay-fish'] })
    expect(failuresOf(report)).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
    expect(report.skipped).toBeGreaterThan(0)
  })

  it('rejects if the user is missing or invalid, or if both a user and an administrator are given', async () => {
    const { options, user } = await openPublic()
    await expect(runConformance(options)).rejects.toThrow('runConformance() requires admin, or user')
    await expect(runConformance({ ...options, user, admin: ADMIN })).rejects.toThrow('not both')
    const wrong = { name: 'Alex', fernetKey: 'too short' }
    await expect(runConformance({ ...options, user: wrong })).rejects.toThrow('user.fernetKey must be 32 bytes')
  })
})

it('a run stops if the service no longer responds, and reports its leftover accounts once', async () => {
  let count = 0
  const { options } = await openDirect({
    around: (send) => async (request, init) => {
      count += 1
      if (count > 100) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
      return send(request, init)
    },
  })
  const report = await runConformance(options)
  expect(report).toMatchObject({ stoppedEarly: true, failed: 1, causes: [{ cause: 'the service does not respond' }] })
  expect(resultsOf(report.checks)['audit-login']).toBe('the service no longer responds')
  // The run must not try to remove its accounts, since each attempt could end in a timeout.
  expect(count).toBeLessThan(110)
  expect(report.notRemoved.length).toBeGreaterThan(0)
  expect(tableReport(report).split(report.notRemoved[0] as string)).toHaveLength(2)
})
