import { describe, expect, it, onTestFinished, vi } from 'vitest'
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
  it('is made for 10 of 30 wrong ones at once', async () => {
    const world = await createCountingWorld()
    const init = { headers: { authorization: basic('Alex', 'wrong') } }
    await Promise.all(Array.from({ length: 30 }, () => world.request(KEY, init)))
    expect(world.checks()).toBe(20)
  })

  it.each([
    ['a name that nobody has', 'nobody', 'wrong'],
    ['a name that nobody can have', '-', 'wrong'],
    ['an endless password', 'Alex', 'x'.repeat(5000)],
    ['an administrator', 'root', 'wrong'],
    ['a user', 'Alex', 'wrong'],
    ['an administrator who is a user too', 'Both', 'wrong'],
  ])('costs the same for %s, so that its time tells nothing', async (_, name, password) => {
    const world = await createCountingWorld()
    await world.app.users.create({ name: 'Both', password: 'of the user' })
    await world.app.admins.create('Both', 'of the administrator', 'admin')
    for (const query of ['', '?name=Both', '?name=Alex']) {
      const before = world.checks()
      const answer = await world.request(`${KEY}${query}`, { headers: { authorization: basic(name, password) } })
      expect(answer.status).toBe(401)
      expect(world.checks() - before).toBe(2)
    }
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

  it('lets the administrator and the user of one name in, each with the own password', async () => {
    const world = await createWorld(UNLIMITED)
    const both = await world.app.users.create({ name: 'Both', password: 'the same' })
    await world.app.admins.create('both', 'the same', 'admin')
    const key = async (query: string) =>
      (await world.request(`${KEY}${query}`, { headers: { authorization: basic('Both', 'the same') } })).json()
    for (const turn of ['first', 'remembered']) {
      expect(await key(''), turn).toEqual({ fernetKey: both.fernetKey })
      expect(await key('?name=both'), turn).toEqual({ fernetKey: both.fernetKey })
      expect(await key('?name=Alex'), turn).toEqual({ fernetKey: world.alex.fernetKey })
    }
  })

  it('is not made again for ten minutes after the password was right, until it is replaced', async () => {
    const world = await createCountingWorld()
    const status = async (password = 'alex-password') =>
      (await world.request(KEY, { headers: { authorization: basic('Alex', password) } })).status
    expect([await status(), world.checks()]).toEqual([200, 1])
    world.advance(599_999)
    expect([await status(), await status(), world.checks()]).toEqual([200, 200, 1])
    world.advance(1)
    expect([await status(), world.checks()]).toEqual([200, 2])
    // As another process does that shares the store.
    await world.storage.items.setItem(`secret:${world.alex.id}:password`, 'plain$another')
    expect(await status()).toBe(401)
    expect(await status('another')).toBe(200)
  })

  it('is made for every wrong one, whatever was right before', async () => {
    const world = await createCountingWorld()
    for (const [password, status, checks] of [
      ['alex-password', 200, 1],
      ['alex-password2', 401, 3],
      ['alex-password2', 401, 5],
      ['alex-password', 200, 5],
    ] as const) {
      const answer = await world.request(KEY, { headers: { authorization: basic('Alex', password) } })
      expect([answer.status, world.checks()]).toEqual([status, checks])
    }
  })

  it('goes on after a decoy could not be made, and after a digest key could not', async () => {
    let isBroken = true
    const hash = async (password: string) => {
      if (isBroken && password.startsWith('a password that')) throw new Error('out of memory')
      return plainPasswords.hash(password)
    }
    const world = await createWorld({ ...UNLIMITED, passwords: { ...plainPasswords, hash } })
    const ask = async (name: string) =>
      (await world.request(KEY, { headers: { authorization: basic(name, 'alex-password') } })).status
    const generate = vi.spyOn(crypto.subtle, 'generateKey').mockRejectedValueOnce(new Error('out of memory'))
    onTestFinished(() => generate.mockRestore())
    expect([await ask('nobody'), await ask('nobody')]).toEqual([500, 500])
    isBroken = false
    expect([await ask('nobody'), await ask('Alex')]).toEqual([401, 200])
  })
})
