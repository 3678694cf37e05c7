import { type LoginFile, type LoginLink, type NewPassword, type Profile, userLineSchema } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { createStorage, type FishStorage, wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { newFolder } from '../storage/folders.ts'
import { asRoot, list, names } from './administration.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, UNLIMITED } from './test-service.ts'

const DAY_MS = 86_400_000
const OPTIONS = { ...UNLIMITED, adminRateLimit: UNLIMITED.rateLimit, publicUrl: 'https://fish.example.org' }
/** More steps than any request has. */
const MAX_STEPS = 80

async function openWorld(storage: FishStorage) {
  const service = await createMemoryService({ ...OPTIONS, storage })
  const { alex } = service
  const admin = await asRoot(service)
  const { url } = (await (await admin('POST', '/admin/users/Alex/login-link', {})).json()) as LoginLink
  const link = url.slice(url.indexOf('#') + 1)
  const token = await createFernet(alex.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
  const own = (method: string, path: string, body: object) =>
    service.request(path, {
      method,
      headers: { authorization: basic('Alex', 'alex-password'), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    ...service,
    admin,
    own,
    post: () =>
      service.request('/post/fish?name=Alex', {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' },
        body: token,
      }),
    redeem: (nonce: string) =>
      service.request('/user/login-link', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: link, nonce: `the nonce of ${nonce}` }),
      }),
    rename: () => admin('POST', '/admin/users/Alex/rename', { name: 'Zoe' }),
    isValid: async (apiKey: string) =>
      !(await service.request('/status', { headers: { 'x-api-key': apiKey } })).headers.has('x-ratelimit-limit'),
    logsIn: async (name: string, password: string) =>
      (await service.request('/get/user/key', { headers: { authorization: basic(name, password) } })).status === 200,
    async leftovers() {
      const bases = ['secret:', 'api-key:', 'user-name:', 'user:', 'removal:', 'old-name:']
      const pages = await Promise.all(bases.map((base) => storage.listItems({ base, limit: 1000 })))
      return pages.flatMap(({ items }) => items.map(({ key }) => key))
    },
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

interface Race {
  readonly one: (world: World) => Promise<Response>
  readonly other: (world: World) => Promise<Response>
  readonly check: (world: World, one: Response, other: Response) => Promise<void>
}

interface ApiKey {
  readonly apiKey: string
}

const isRefused = async (response: Response, code: string) =>
  expect(((await response.json()) as { code: string }).code).toBe(code)

async function expectOneWinner(world: World, responses: readonly Response[]): Promise<void> {
  const [winner, ...others] = responses.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  const file = (await winner?.json()) as LoginFile
  expect([await world.isValid(file.apiKey), await world.isValid(world.alex.apiKey)]).toEqual([true, false])
  expect(await world.logsIn('Alex', file.password)).toBe(true)
  for (const loser of responses.filter((one) => one !== winner)) await isRefused(loser, 'link_not_found')
}

async function expectGone(world: World): Promise<void> {
  expect(names(await list(world.admin))).toEqual([])
  expect(await world.leftovers()).toEqual([])
}

const RACES: Readonly<Record<string, Race>> = {
  'two redemptions of a link': {
    one: ({ redeem }) => redeem('one client'),
    other: ({ redeem }) => redeem('another client'),
    check: (world, one, other) => expectOneWinner(world, [one, other]),
  },
  'a redemption and a reset of the password': {
    one: ({ redeem }) => redeem('one client'),
    other: ({ admin }) => admin('POST', '/admin/users/Alex/reset', { type: 'password' }),
    async check(world, redeemed, reset) {
      expect(reset.status).toBe(200)
      expect(await world.logsIn('Alex', ((await reset.json()) as NewPassword).password)).toBe(true)
      if (redeemed.status === 200) {
        expect(await world.logsIn('Alex', ((await redeemed.json()) as LoginFile).password)).toBe(false)
      } else await isRefused(redeemed, 'link_not_found')
      await isRefused(await world.redeem('one client'), 'link_not_found')
    },
  },
  'a redemption and a suspension': {
    one: ({ redeem }) => redeem('one client'),
    other: ({ admin }) => admin('POST', '/admin/users/Alex/suspend', {}),
    async check(world, redeemed) {
      await world.admin('POST', '/admin/users/Alex/unsuspend')
      if (redeemed.status === 200) {
        expect(await world.isValid(((await redeemed.json()) as LoginFile).apiKey)).toBe(true)
      } else await isRefused(redeemed, 'link_not_found')
      for (const nonce of ['one client', 'another client']) {
        await isRefused(await world.redeem(nonce), 'link_not_found')
      }
    },
  },
  'a new link and a suspension': {
    one: ({ admin }) => admin('POST', '/admin/users/Alex/login-link', {}),
    other: ({ admin }) => admin('POST', '/admin/users/Alex/suspend', {}),
    async check(world, linked) {
      await world.admin('POST', '/admin/users/Alex/unsuspend')
      if (linked.status !== 200) return isRefused(linked, 'user_suspended')
      const { url } = (await linked.json()) as LoginLink
      const body = JSON.stringify({ token: url.slice(url.indexOf('#') + 1), nonce: 'the nonce of a client' })
      const headers = { 'content-type': 'application/json' }
      await isRefused(await world.request('/user/login-link', { method: 'POST', headers, body }), 'link_not_found')
    },
  },
  'a redemption and a deletion': {
    one: ({ redeem }) => redeem('one client'),
    other: ({ admin }) => admin('DELETE', '/admin/users/Alex'),
    async check(world, redeemed) {
      if (redeemed.status !== 200) expect(redeemed.status).toBe(404)
      await expectGone(world)
    },
  },
  'two resets of the API key': {
    one: ({ admin }) => admin('POST', '/admin/users/Alex/reset', { type: 'api-key' }),
    other: ({ admin }) => admin('POST', '/admin/users/Alex/reset', { type: 'api-key' }),
    async check(world, one, other) {
      const keys = await Promise.all([one, other].map(async (reset) => ((await reset.json()) as ApiKey).apiKey))
      const valid = await Promise.all([...keys, world.alex.apiKey].map(world.isValid))
      expect(valid.filter(Boolean)).toHaveLength(1)
      expect(await world.leftovers()).toHaveLength(5)
    },
  },
  'a reset of the API key and a deletion': {
    one: ({ admin }) => admin('POST', '/admin/users/Alex/reset', { type: 'api-key' }),
    other: ({ own }) => own('DELETE', '/user', { password: 'alex-password' }),
    async check(world, reset, deleted) {
      expect(deleted.status).toBe(204)
      expect([200, 404]).toContain(reset.status)
      await expectGone(world)
    },
  },
  'a deletion, and a deletion with a new player of the same name': {
    one: ({ own }) => own('DELETE', '/user', { password: 'alex-password' }),
    async other({ admin }) {
      await admin('DELETE', '/admin/users/Alex')
      return admin('POST', '/admin/users', { name: 'Alex' })
    },
    async check(world, _, created) {
      if (created.status === 201) {
        expect(names(await list(world.admin))).toEqual(['Alex'])
        expect(await world.leftovers()).toHaveLength(5)
      } else await isRefused(created, 'user_exists')
    },
  },
  'a rename and a post': {
    one: ({ rename }) => rename(),
    other: ({ post }) => post(),
    async check(world, renamed, posted) {
      expect([renamed.status, posted.status]).toEqual([200, 201])
      for (const name of ['Alex', 'Zoe']) {
        const profile = await (await world.request(`/get/profile?name=${name}`)).json()
        expect(profile).toMatchObject({ user: 'Zoe', total: 1 } satisfies Partial<Profile>)
      }
    },
  },
  'a rename and a new player with the new name': {
    one: ({ rename }) => rename(),
    other: ({ admin }) => admin('POST', '/admin/users', { name: 'Zoe' }),
    async check(world, renamed, created) {
      expect([renamed.status, created.status]).toEqual(renamed.status === 200 ? [200, 409] : [409, 201])
      expect(names(await list(world.admin))).toEqual(renamed.status === 200 ? ['Zoe'] : ['Alex', 'Zoe'])
      expect(await world.isValid(world.alex.apiKey)).toBe(true)
    },
  },
  'a rename and a new player with the old name': {
    one: ({ rename }) => rename(),
    other: ({ admin }) => admin('POST', '/admin/users', { name: 'Alex' }),
    async check(world, renamed, created) {
      expect([renamed.status, created.status]).toEqual([200, 409])
      expect(names(await list(world.admin))).toEqual(['Zoe'])
    },
  },
  'a rename and a listing': {
    one: ({ rename }) => rename(),
    other: ({ admin }) => admin('GET', '/admin/users'),
    async check(_, __, listed) {
      expect(((await listed.json()) as { users: unknown[] }).users).toHaveLength(1)
    },
  },
  'a rename and an export': {
    one: ({ rename }) => rename(),
    async other({ admin, post }) {
      await post()
      return admin('GET', '/admin/export')
    },
    async check(_, __, exported) {
      expect((await exported.text()).trimEnd().split('\r\n')).toHaveLength(2)
    },
  },
  'a rename and a suspension that hides': {
    one: ({ rename }) => rename(),
    other: ({ admin }) => admin('POST', '/admin/users/Alex/suspend', { hide: true }),
    async check(world, renamed, suspended) {
      expect([renamed.status, suspended.status]).toEqual([200, 200])
      for (const name of ['Alex', 'Zoe']) expect((await world.request(`/get/profile?name=${name}`)).status).toBe(404)
      const shown = await (await world.admin('GET', '/admin/users/Zoe')).json()
      expect(shown).toMatchObject({ name: 'Zoe', suspended: true, hidden: true })
    },
  },
  'a rename and the deletion of the own account': {
    one: ({ rename }) => rename(),
    other: ({ own }) => own('DELETE', '/user', { password: 'alex-password' }),
    async check(world, renamed, deleted) {
      expect(deleted.status).toBe(204)
      expect([200, 404]).toContain(renamed.status)
      await expectGone(world)
    },
  },
  'the deletion of the own account and a post': {
    one: ({ own }) => own('DELETE', '/user', { password: 'alex-password' }),
    other: ({ post }) => post(),
    async check(world, deleted, posted) {
      expect(deleted.status).toBe(204)
      expect([201, 404]).toContain(posted.status)
      await expectGone(world)
      const exported = await (await world.admin('GET', '/admin/export')).text()
      expect(exported.trimEnd().split('\r\n')).toHaveLength(1)
    },
  },
  'a reset of the API key and a rename': {
    one: ({ admin }) => admin('POST', '/admin/users/Alex/reset', { type: 'api-key' }),
    other: ({ rename }) => rename(),
    async check(world, reset, renamed) {
      expect([reset.status, renamed.status]).toEqual([200, 200])
      world.advance(91 * DAY_MS)
      const { apiKey } = (await reset.json()) as ApiKey
      expect([await world.isValid(apiKey), await world.isValid(world.alex.apiKey)]).toEqual([true, false])
    },
  },
  'a redemption and a rename': {
    one: ({ redeem }) => redeem('one client'),
    other: ({ rename }) => rename(),
    async check(world, redeemed, renamed) {
      expect([redeemed.status, renamed.status]).toEqual([200, 200])
      world.advance(91 * DAY_MS)
      expect(await world.isValid(((await redeemed.json()) as LoginFile).apiKey)).toBe(true)
    },
  },
  'two requests that create the same players': {
    one: ({ admin }) => admin('POST', '/admin/users/bulk', { users: [{ name: 'Bea' }, { name: 'Cleo' }] }),
    other: ({ admin }) => admin('POST', '/admin/users/bulk', { users: [{ name: 'bea' }, { name: 'cleo' }] }),
    async check(world, one, other) {
      const texts = await Promise.all([one.text(), other.text()])
      const lines = texts.map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => userLineSchema.parse(JSON.parse(line))),
      )
      for (const index of [0, 1]) {
        const both = lines.map((of) => of[index]).filter((line) => line !== undefined)
        expect(both.map(({ status }) => status).sort()).toEqual(['created', 'error'])
        for (const line of both) {
          if (line.status === 'created') expect(await world.isValid(line.apiKey)).toBe(true)
          else expect(line.code).toBe('user_exists')
        }
      }
      expect(await world.leftovers()).toHaveLength(3 * 5)
    },
  },
}

/** Runs the second request as a whole before the given step of the first request. Returns whether there is such a step. */
async function interrupt(
  step: number,
  { first, second, check }: { first: Race['one']; second: Race['other']; check: Race['check'] },
): Promise<boolean> {
  const memory = createMemoryDriver()
  let remaining = Number.POSITIVE_INFINITY
  let interruption: (() => Promise<unknown>) | undefined
  const before = async () => {
    remaining -= 1
    if (remaining !== 0) return
    await interruption?.()
  }
  const stepwise = new Proxy(memory, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      // These functions do not return promises.
      if (typeof value !== 'function' || name === 'read' || name === 'onChange' || name === 'remainingReserve') {
        return typeof value === 'function' ? value.bind(object) : value
      }
      // Equal events wait for each other to share an entry of the audit log.
      return (...args: unknown[]) =>
        (JSON.stringify(args[0])?.includes('audit:') ? Promise.resolve() : before()).then(() =>
          value.apply(object, args),
        )
    },
  })
  const world = await openWorld(wrapDriver(stepwise))
  let interrupting: Response | undefined
  interruption = async () => {
    // A streamed response is complete before the first request continues.
    interrupting = await buffered(await second(world))
  }
  remaining = step
  const response = await buffered(await first(world))
  remaining = Number.POSITIVE_INFINITY
  if (!interrupting) return false
  await check(world, response, interrupting)
  return true
}

async function buffered(response: Response): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  return new Response(text === '' ? null : text, { status, headers })
}

describe.each(Object.entries(RACES))('%s', (_, { one, other, check }) => {
  it.each([
    ['the second', { first: one, second: other, check }],
    ['the first', { first: other, second: one, check: (world: World, b: Response, a: Response) => check(world, a, b) }],
  ])('%s one runs between any two steps of the other one', async (__, race) => {
    const failures: string[] = []
    for (let step = 1; step < MAX_STEPS; step += 1) {
      try {
        if (!(await interrupt(step, race))) break
      } catch (error) {
        failures.push(`step ${step}: ${(error as Error).message}`)
      }
    }
    expect(failures).toEqual([])
  })

  it('both run at the same time on a file storage', async () => {
    for (let round = 0; round < 6; round += 1) {
      const storage = await createStorage({ driver: 'file', path: newFolder() })
      onTestFinished(() => storage.dispose())
      const world = await openWorld(storage)
      const late = async () => {
        for (let turn = 0; turn < 3 * round; turn += 1) await new Promise(setImmediate)
        return other(world)
      }
      const [first, second] = await Promise.all([one(world), late()])
      await check(world, await buffered(first), await buffered(second))
    }
  })
})
