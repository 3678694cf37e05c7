import { createClient } from '@fish-crab/sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { START, startStandalone } from './standalone-mock.ts'

let mock: Awaited<ReturnType<typeof startStandalone>>
beforeEach(async () => {
  mock = await startStandalone({
    users: [{ name: 'Alex', password: 'canary-password', fish: { earth: [{ name: 'Cod', rarity: 1 }] } }],
  })
})
afterEach(() => mock.close())

const demo = () => fetch(`${mock.url}/demo/fish`)

describe('the control API', () => {
  it('lists its endpoints, with a valid example of every body', async () => {
    const { status, body } = await mock.control('GET', '')
    expect(status).toBe(200)
    expect(body.endpoints).toContainEqual(expect.objectContaining({ method: 'POST', path: '/__mock/clock' }))
    for (const { method, path, body: example } of body.endpoints) {
      const response = await fetch(mock.url + path, { method, ...(example ? { body: JSON.stringify(example) } : {}) })
      expect([path, response.ok]).toEqual([path, true])
    }
  })

  it('reports the health of the mock', async () => {
    expect((await mock.control('GET', 'health')).body).toEqual({ status: 'ok' })
  })

  it('returns the working keys of seeded users, and their current collections', async () => {
    const { users } = (await mock.control('GET', 'state')).body
    expect(users).toEqual([
      {
        name: 'Alex',
        password: 'canary-password',
        fernetKey: expect.any(String),
        apiKey: expect.any(String),
        fish: { earth: [{ name: 'Cod', rarity: 'Bronze' }] },
        crab: {},
      },
    ])
    const [{ fernetKey }] = users
    await createClient({ baseUrl: mock.url, user: 'Alex', fernetKey, gamemode: 'survival' }).crabs.add()
    const after = (await mock.control('GET', 'state')).body
    expect(after.users[0]).toMatchObject({ fish: { earth: [{}] }, crab: { survival: [{ name: 'crab' }] } })
  })

  it('can advance the clock past a rate limit window, so that the mock accepts a refused client again', async () => {
    const statuses = []
    for (let count = 0; count < 26; count += 1) statuses.push((await demo()).status)
    expect(statuses).toEqual([...Array.from({ length: 25 }, () => 200), 429])
    const moved = await mock.control('POST', 'clock', { advanceMs: 300_000 })
    expect(moved).toMatchObject({ status: 200, body: { unixMs: START + 300_000, now: '2026-01-01T00:05:00.000Z' } })
    expect((await demo()).status).toBe(200)
  })

  it('can advance the time in the bodies and date headers of responses', async () => {
    await mock.control('POST', 'clock', { advanceMs: 3_600_000 })
    expect((await mock.control('GET', 'clock')).body.now).toBe('2026-01-01T01:00:00.000Z')
    const response = await fetch(`${mock.url}/status`)
    expect(await response.json()).toMatchObject({ timestamp: '2026-01-01T01:00:00.000Z' })
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 01:00:00 GMT')
  })

  it('can add, list and cancel faults for the next matching requests', async () => {
    const order = { fault: { status: 503 }, times: 2, on: 'GET /demo/fish' }
    const { status, body } = await mock.control('POST', 'faults', order)
    expect({ status, body }).toEqual({
      status: 201,
      body: { faults: [{ fault: { status: 503 }, on: 'GET /demo/fish', remaining: 2 }] },
    })
    expect((await fetch(`${mock.url}/demo/crab`)).status).toBe(200)
    expect((await demo()).status).toBe(503)
    expect((await mock.control('GET', 'faults')).body.faults).toMatchObject([{ remaining: 1 }])
    expect((await mock.control('DELETE', 'faults')).body).toEqual({ faults: [] })
    expect((await demo()).status).toBe(200)
  })

  it('can add a fault with a retryAfter and a body', async () => {
    const fault = { status: 502, retryAfter: 3, body: { detail: 'Bad gateway' } }
    expect((await mock.control('POST', 'faults', { fault })).body.faults).toEqual([{ fault, remaining: 1 }])
    const response = await fetch(`${mock.url}/demo/fish`)
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      502,
      '3',
      fault.body,
    ])
  })

  it('applies a fault to every request if times is always', async () => {
    await mock.control('POST', 'faults', { fault: 'storage-down', times: 'always' })
    expect((await mock.control('GET', 'faults')).body.faults).toEqual([{ fault: 'storage-down', remaining: 'always' }])
    for (let count = 0; count < 3; count += 1) expect((await fetch(`${mock.url}/status`)).status).toBe(503)
  })

  it('returns the history with secrets redacted, and can clear the history', async () => {
    const authorization = `Basic ${btoa('Alex:canary-password')}`
    const { fernetKey } = (await (await fetch(`${mock.url}/get/user/key`, { headers: { authorization } })).json()) as {
      fernetKey: string
    }
    const { body } = await mock.control('GET', 'requests')
    expect(body.requests).toMatchObject([
      { transport: 'http', method: 'GET', path: '/get/user/key', status: 200, client: '127.0.0.1' },
    ])
    for (const secret of ['canary', authorization, fernetKey]) expect(JSON.stringify(body)).not.toContain(secret)
    expect((await mock.control('DELETE', 'requests')).body).toEqual({ requests: [] })
    await demo()
    expect((await mock.control('GET', 'requests')).body.requests).toMatchObject([{ path: '/demo/fish' }])
  })

  it('is exempt from the rate limit, from faults and from the history', async () => {
    await mock.control('POST', 'faults', { fault: { status: 500 }, times: 'always' })
    for (let count = 0; count < 30; count += 1) expect((await mock.control('GET', 'state')).status).toBe(200)
    await mock.control('DELETE', 'faults')
    expect((await mock.control('GET', 'requests')).body.requests).toEqual([])
    expect((await demo()).headers.get('x-ratelimit-remaining')).toBe('24')
  })

  it('can restore the seed', async () => {
    const seeded = (await mock.control('GET', 'state')).body
    const { fernetKey } = seeded.users[0]
    await createClient({ baseUrl: mock.url, user: 'Alex', fernetKey, gamemode: 'earth' }).crabs.add()
    await mock.control('POST', 'clock', { advanceMs: 1000 })
    await mock.control('POST', 'faults', { fault: 'reset' })
    expect((await mock.control('POST', 'reset')).body).toEqual(seeded)
    expect((await mock.control('GET', 'requests')).body.requests).toEqual([])
    expect((await demo()).headers.get('x-ratelimit-remaining')).toBe('24')
  })

  it.each([
    ['clock', 'not JSON', ''],
    ['clock', {}, 'advanceMs'],
    ['clock', { advanceMs: -1 }, 'advanceMs'],
    ['clock', { advanceMs: 1, set: '2026-01-01T00:00:00Z' }, ''],
    ['faults', {}, 'fault'],
    ['faults', { fault: 'no such fault' }, ''],
    ['faults', { fault: { status: 418 } }, ''],
    ['faults', { fault: 'reset', on: 'noSuchRoute' }, ''],
    ['faults', { fault: 'reset', times: 0 }, ''],
    ['faults', { fault: 'reset', times: 'twice' }, 'times'],
    ['faults', { fault: 'reset', typo: 1 }, ''],
  ])('rejects an invalid body: %s %j', async (endpoint, body, path) => {
    const response = await fetch(`${mock.url}/__mock/${endpoint}`, {
      method: 'POST',
      headers: { 'x-request-id': 'mine' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(response.headers.get('x-request-id')).toBe('mine')
    expect(await response.json()).toEqual({
      error: expect.any(String),
      code: 'invalid_payload',
      requestId: 'mine',
      details: [{ path, message: expect.stringMatching(/^.{8,}$/) }],
    })
    expect((await mock.control('GET', 'faults')).body.faults).toEqual([])
    expect((await mock.control('GET', 'clock')).body.unixMs).toBe(START)
  })

  it('responds 404 to unknown paths, and 405 to methods that a path does not support', async () => {
    expect(await mock.control('GET', 'nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const wrong = await mock.control('DELETE', 'clock')
    expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('responds to pages of any origin, including preflights', async () => {
    const headers = { origin: 'http://page.test', 'access-control-request-method': 'DELETE' }
    const preflight = await fetch(`${mock.url}/__mock/faults`, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE')
    for (const { headers: responded } of [
      preflight,
      await mock.control('GET', 'state'),
      await mock.control('GET', 'no'),
    ]) {
      expect(responded.get('access-control-allow-origin')).toBe('*')
    }
  })
})
