import { ACCOUNT_LIMITS, HEADERS, LIMITS, ROUTES } from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { CHIEF } from './fleet.ts'
import { ask, logIn, newClient, postToken, readFish, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

/** Tests the rate limit and the writes that processes share, with many concurrent requests to all processes. */
export function describeSharedCounts({ fleet, chief, everywhere, newUser, size }: Shared): void {
  test('processes that start at the same time create only one first administrator', async () => {
    const lists = await everywhere((server) =>
      chief().ask<{ admins: { username: string }[] }>(server, 'GET', ROUTES.listAdmins.path),
    )
    for (const { body } of lists) expect(body.admins.map(({ username }) => username)).toEqual([CHIEF.username])
  })

  test('all processes together allow 25 of 80 concurrent requests of one client, with a constant reset time', async () => {
    const [headers, paths] = [newClient(), [ROUTES.demoFish.path, ROUTES.demoCrab.path, ROUTES.status.path, '/nothing']]
    const send = (index: number) => ask(fleet().at(index), paths[index % 4] ?? '', { headers })
    const first = await Promise.all(Array.from({ length: 80 }, (_, index) => send(index)))
    const later = await Promise.all(Array.from({ length: 2 * size }, (_, index) => send(index)))
    const passed = first.filter(({ status }) => status !== 429)
    const refused = [...first, ...later].filter(({ status }) => status === 429)
    const remaining = passed.map((response) => Number(response.headers.get(HEADERS.rateRemaining)))

    expect(passed).toHaveLength(LIMITS.requests)
    expect(refused).toHaveLength(80 + 2 * size - LIMITS.requests)
    expect(remaining.sort((one, other) => one - other)).toEqual(Array.from({ length: 25 }, (_, left) => left))
    const resets = new Set([...first, ...later].map((response) => response.headers.get(HEADERS.rateReset)))
    expect([...resets]).toEqual([expect.stringMatching(/^\d+$/)])
  })

  test('each of 200 tokens is stored once, under one id, even if each of two processes receives the token twice', async () => {
    const user = await newUser()
    const tokens = await Promise.all(Array.from({ length: 200 }, (_, index) => tokenOf(user, `fish ${index}`)))
    const sent = await Promise.all(
      [0, 1, 2, 3].flatMap((round) => tokens.map((token) => postToken(fleet().at(round % 2), user, token))),
    )
    const ids = tokens.map((_, index) => sent[index]?.body.id)

    expect(sent.filter(({ status }) => status === 201)).toHaveLength(200)
    const repeated = sent.filter(({ status, headers }) => status === 200 && headers.get(HEADERS.replayed) === 'true')
    expect(repeated).toHaveLength(600)
    expect(new Set(ids).size).toBe(200)
    expect(sent.map(({ body }) => body.id)).toEqual([...ids, ...ids, ...ids, ...ids])
    const collections = await everywhere((server) => readFish(server, user, { query: '&detail=full' }))
    for (const { body } of collections) {
      expect(new Map(body.fish.map(({ name, id }) => [name, id]))).toEqual(
        new Map(ids.map((id, index) => [`fish ${index}`, id])),
      )
      expect(body.fish).toHaveLength(200)
    }
  })
}

/** Tests the limit of failed logins, which all processes share. */
export function describeSharedLogins({ fleet, chief, everywhere }: Shared): void {
  test('every process refuses a client after ten wrong passwords across all processes, even if the next password is correct', async () => {
    const client = newClient()
    // Use an administrator who has never logged in. A password that was recently verified would be accepted despite the
    // limit.
    const right = { username: 'deputy', password: 'deputy-password' }
    await chief().ask(fleet().at(0), 'POST', ROUTES.createAdmin.path, { ...right, role: 'admin' })
    const wrong = { ...right, password: 'a wrong password' }
    const statuses: number[] = []
    for (let attempt = 0; attempt < ACCOUNT_LIMITS.failedLogins; attempt += 1) {
      statuses.push((await logIn(fleet().at(attempt), wrong, client)).status)
    }
    expect(statuses).toEqual(Array(ACCOUNT_LIMITS.failedLogins).fill(401))
    for (const response of await everywhere((server) => logIn(server, right, client))) expect(response.status).toBe(429)
  })

  test('all processes together check at most ten of forty concurrent logins with a wrong password', async () => {
    const client = newClient()
    const wrong = { ...CHIEF, password: 'a wrong password' }
    const attempts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => logIn(fleet().at(index), wrong, client)),
    )
    let tried = attempts.filter(({ status }) => status === 401).length
    expect(tried).toBeLessThanOrEqual(ACCOUNT_LIMITS.failedLogins)
    // On a busy machine, some attempts are refused before the password is checked, and do not count as failed logins.
    const others = attempts.filter(({ status }) => status === 429 || status === 503)
    expect(others).toHaveLength(40 - tried)
    while ((await logIn(fleet().at(tried), wrong, client)).status === 401) tried += 1
    expect(tried).toBe(ACCOUNT_LIMITS.failedLogins)
  })
}
