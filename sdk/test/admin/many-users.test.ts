import { createAdminClient } from '@fish-crab/sdk/admin'
import { createApp, createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'

const ROOT = { username: 'root', password: 'root-password' }

/** @param around changes a response of the service */
async function openAdmin(around: (response: Response, path: string) => Response = (response) => response) {
  const app = createApp({
    storage: createMemoryStorage(),
    secrets: { encryption: 'an encryption secret of a test', session: 'a session secret of a test, 32 bytes' },
    passwords: { hash: async (password) => `$${password}`, verify: async (password, hash) => hash === `$${password}` },
    version: '0.0.0-test',
    clientAddress: () => '192.0.2.1',
    publicUrl: 'https://fish.example',
  })
  await app.admins.create(ROOT.username, ROOT.password, 'superadmin')
  let requests = 0
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init)
    requests += 1
    return around(await app.fetch(request), new URL(request.url).pathname)
  }
  const admin = createAdminClient({
    baseUrl: 'http://fish.test',
    fetch: fetch as typeof globalThis.fetch,
    env: {},
    ...ROOT,
  })
  return { app, admin, requests: () => requests }
}

/** Cuts the response to a request that creates several users after this number of lines. */
const cutAfter =
  (count: number) =>
  (response: Response, path: string): Response => {
    if (path !== '/admin/users/bulk' || !response.body) return response
    let lines = 0
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(line, controller) {
        if (lines === count) throw new Error('socket hang up')
        lines += 1
        controller.enqueue(line)
      },
    })
    return new Response(response.body.pipeThrough(cut), response)
  }

describe('admin.users.createMany', () => {
  it('yields the outcome of each user in order', async () => {
    const { admin, app } = await openAdmin()
    const outcomes: unknown[] = []
    for await (const line of admin.users.createMany([{ name: 'Bea' }, { name: 'bea' }, { name: 'Cleo' }])) {
      outcomes.push(line.status === 'error' ? line.code : [line.name, typeof line.fernetKey])
      if (line.name === 'Bea' && line.status === 'created') expect(await app.users.find('Cleo')).toBeUndefined()
    }
    expect(outcomes).toEqual([['Bea', 'string'], 'user_exists', ['Cleo', 'string']])
  })

  it('ends the request when the caller stops, and the service creates no further users', async () => {
    const { admin, app } = await openAdmin()
    const users = Array.from({ length: 100 }, (_, index) => ({ name: `Player${index}` }))
    for await (const { name } of admin.users.createMany(users)) if (name === 'Player2') break
    expect(await app.users.find('Player90')).toBeUndefined()
  })

  it('says after a cut response which user may exist', async () => {
    const { admin } = await openAdmin(cutAfter(2))
    const users = ['Bea', 'Cleo', 'Dora', 'Eva'].map((name) => ({ name }))
    const created: string[] = []
    const creating = (async () => {
      for await (const { name } of admin.users.createMany(users)) created.push(name)
    })()
    await expect(creating).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/closed after 2 of 4 users\..*whether Dora and later users were created/),
    })
    expect(created).toEqual(['Bea', 'Cleo'])
  })

  it('rejects a list that is empty or too long before anything is sent', async () => {
    const { admin, requests } = await openAdmin()
    for (const users of [[], Array.from({ length: 501 }, () => ({ name: 'x' }))]) {
      await expect(admin.users.createMany(users).next()).rejects.toMatchObject({ name: 'ValidationError' })
    }
    expect(requests()).toBe(0)
  })
})

describe('an administrator', () => {
  it('suspends, renames, invites and exports with typed calls', async () => {
    const { admin } = await openAdmin()
    await admin.users.create({ name: 'Alex' })
    expect(await admin.users.suspend('Alex', { hide: true })).toMatchObject({ suspended: true, hidden: true })
    expect(await admin.users.unsuspend('Alex')).toMatchObject({ suspended: false })
    expect(await admin.users.rename('Alex', 'Zoe')).toMatchObject({ name: 'Zoe' })
    expect((await admin.users.createLoginLink('Zoe', { hours: 1 })).url).toMatch(/^https:\/\/fish\.example\/login#/)
    const { id } = await admin.invitations.create({ uses: 3 })
    expect((await admin.invitations.list()).invitations).toMatchObject([{ id, remaining: 3 }])
    await admin.invitations.end(id)
    const [ended] = (await admin.invitations.list()).invitations
    expect(Date.parse(ended?.expiresAt ?? '')).toBeLessThanOrEqual(Date.now())
    await admin.fish.add('Zoe', [{ name: 'Koi', rarity: 'Gold' }], { gamemode: 'earth' })
    let text = ''
    for await (const part of admin.export({ format: 'jsonl', kind: 'fish' })) text += part
    expect(JSON.parse(text)).toMatchObject({ player: 'Zoe', name: 'Koi' })
  })
})
