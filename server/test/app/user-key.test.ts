import { describe, expect, it } from 'vitest'
import { userKeyBehaviour } from './behaviour/user-key.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { basic, UNLIMITED } from './lane.ts'
import { createWorld, plainPasswords } from './world.ts'

userKeyBehaviour(createWorld)

const KEY = '/get/user/key'

/** A world that counts how often a password is checked. */
async function createCountingWorld() {
  let checks = 0
  const verify = async (password: string, hash: string) => {
    checks += 1
    return plainPasswords.verify(password, hash)
  }
  const world = await createWorld({ ...UNLIMITED, passwords: { ...plainPasswords, verify } })
  return { ...world, checks: () => checks }
}

describe('the reading of a key', () => {
  it.each([
    ['Alex', basic('alex', 'alex-password'), ''],
    ['root', basic('root', 'root-password'), '?name=alex'],
  ])('by %s is in the audit log with who, whose, when and from where', async (actor, authorization, query) => {
    const world = await createWorld()
    const headers = { authorization, 'x-request-id': 'reading-1', 'x-test-address': '192.0.2.77' }
    await world.request(`${KEY}${query}`, { headers })
    const { items } = await world.storage.listItems({ base: 'audit:', limit: 10 })
    expect(items.map(({ value }) => JSON.parse(value))).toEqual([
      {
        id: expect.any(String),
        at: new Date(world.now()).toISOString(),
        actor,
        action: 'key.read',
        subject: 'Alex',
        address: '192.0.2.77',
        requestId: 'reading-1',
      },
    ])
    expect(JSON.stringify(items)).not.toContain(world.alex.fernetKey)
  })

  it('does not happen while it cannot be put on record', async () => {
    const { storage, failAt } = createFailingStorage()
    const world = await createWorld({ storage })
    failAt(/^items\.setItem audit:/)
    const response = await world.request(KEY, { headers: { authorization: basic('Alex', 'alex-password') } })
    expect(await response.clone().text()).not.toContain(world.alex.fernetKey)
    await expectError(response, 'storage_error')
  })
})

describe('the check of a password', () => {
  it('is made at most 10 times for 30 wrong ones at once', async () => {
    const world = await createCountingWorld()
    const init = { headers: { authorization: basic('Alex', 'wrong') } }
    await Promise.all(Array.from({ length: 30 }, () => world.request(KEY, init)))
    expect(world.checks()).toBe(10)
  })

  it.each([
    ['a name that nobody has', 'nobody', 'wrong'],
    ['a name that nobody can have', '-', 'wrong'],
    ['an endless password', 'Alex', 'x'.repeat(5000)],
    ['an administrator', 'root', 'wrong'],
    ['a user', 'Alex', 'wrong'],
  ])('costs the same for %s, so that its time tells nothing', async (_, name, password) => {
    const world = await createCountingWorld()
    await world.request(KEY, { headers: { authorization: basic(name, password) } })
    expect(world.checks()).toBe(1)
  })

  it.each(['nobody', 'root', 'Alex'])('costs the same for the login of %s', async (username) => {
    const world = await createCountingWorld()
    await world.request('/admin/login', {
      method: 'POST',
      body: JSON.stringify({ username, password: 'wrong' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(world.checks()).toBe(1)
  })
})
