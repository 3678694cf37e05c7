import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/contract'
import { createFernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { gzippedBytes } from './package-bundle.ts'
import { ADMIN, startBuiltServer } from './runtimes-service.ts'

const FISH = ['Salmon', 'Cod', 'Koi'].map((name) => ({ name, rarity: 'Gold' }) as const)

/** A server with one player, who has three fish. */
async function startWithFish(settings?: Record<string, string>) {
  const server = await startBuiltServer(settings)
  const admin = createAdminClient({ baseUrl: server.url, ...ADMIN })
  const { fernetKey } = await admin.users.create({ name: 'Alex' })
  await admin.fish.add('Alex', FISH, { gamemode: 'earth' })
  return { url: server.url, fernetKey, [Symbol.asyncDispose]: () => server.close() }
}

test('a cross-origin page can read fish, the rate limit and the request ID, and loads at most 14 KB', async ({
  skip,
}) => {
  await using server = await startWithFish()
  await using page = await openPage(
    `import { createClient } from '@fish-crab/sdk'
    globalThis.read = async (baseUrl) => {
      const client = createClient({ baseUrl, user: 'Alex', gamemode: 'earth' })
      const names = []
      const { fish, requestId, rateLimit: { limit, remaining } } = await client.fish.list()
      for await (const { name } of client.fish.iterate({ pageSize: 2 })) names.push(name)
      return { fish, names, requestId, limit, remaining }
    }`,
    skip,
  )
  expect(await page.call('read', server.url)).toEqual({
    fish: FISH,
    names: FISH.map(({ name }) => name),
    requestId: expect.stringMatching(/^\S+$/),
    limit: LIMITS.requests,
    remaining: LIMITS.requests - 1,
  })
  expect(page.loaded.size).toBeLessThan(page.bundle.files.size)
  expect(gzippedBytes(page.bundle, page.loaded)).toBeLessThanOrEqual(14 * 1024)
})

test('in a page, all calls within the rate limit succeed immediately, and the next call reports its wait before the service refuses a request', async ({
  skip,
}) => {
  await using server = await startWithFish()
  await using page = await openPage(
    `import { createClient, RateLimitError } from '@fish-crab/sdk'
    globalThis.read = async ({ baseUrl, calls }) => {
      const statuses = []
      const waiting = Promise.withResolvers()
      const client = createClient({
        baseUrl,
        user: 'Alex',
        gamemode: 'earth',
        onWait: (event) => event.waitMs > 60_000 && waiting.resolve(event),
        onResponse: ({ status }) => statuses.push(status),
      })
      const controller = new AbortController()
      const allowed = Promise.withResolvers()
      let succeeded = 0
      const list = async () => {
        await client.fish.list({ signal: controller.signal })
        succeeded += 1
        if (succeeded === calls - 1) allowed.resolve()
      }
      const all = Promise.allSettled(Array.from({ length: calls }, list))
      const { path, waitMs, resumesAt } = await waiting.promise
      await allowed.promise
      const refused = await client.fish.list({ maxWaitMs: 0 }).catch((error) => error)
      const inMs = refused.resetAt.getTime() - Date.now()
      controller.abort()
      await all
      return {
        path,
        waitMs,
        saysWhen: Math.abs(resumesAt.getTime() - Date.now() - waitMs) < 5000,
        isRateLimitError: refused instanceof RateLimitError,
        inMs,
        succeeded,
        statuses,
      }
    }`,
    skip,
  )
  const windowMs = LIMITS.windowSeconds * 1000
  const seen = await page.call<Record<string, unknown>>('read', { baseUrl: server.url, calls: LIMITS.requests + 1 })
  expect(seen).toMatchObject({ path: '/get/fish', saysWhen: true, isRateLimitError: true, succeeded: LIMITS.requests })
  expect(seen.statuses).toEqual(Array.from({ length: LIMITS.requests }, () => 200))
  for (const ms of [seen.waitMs, seen.inMs]) {
    expect(ms).toBeGreaterThan(windowMs - 30_000)
    expect(ms).toBeLessThan(windowMs + 5000)
  }
})

test('a page and Node can decrypt tokens from each other, and the page rejects tampered tokens', async ({ skip }) => {
  const key = generateFernetKey()
  const message = 'ein Fisch 🐟'
  const token = await createFernet(key).encrypt(message)
  await using page = await openPage(
    `import { createFernet, FernetError } from '@fish-crab/sdk/fernet'
    globalThis.roundTrip = async ({ key, token, message }) => {
      const fernet = createFernet(key)
      const tampered = token.slice(0, 30) + (token[30] === 'A' ? 'B' : 'A') + token.slice(31)
      return {
        read: new TextDecoder().decode((await fernet.decrypt(token)).message),
        refused: (await fernet.decrypt(tampered).catch((error) => error)) instanceof FernetError,
        written: await fernet.encrypt(message),
      }
    }`,
    skip,
  )
  const seen = await page.call<{ written: string }>('roundTrip', { key, token, message })
  expect(seen).toMatchObject({ read: message, refused: true })
  expect(new TextDecoder().decode((await createFernet(key).decrypt(seen.written)).message)).toBe(message)
})

test('a page from an allowed origin can add fish, and does not load the cryptography before the call that adds fish', async ({
  skip,
}) => {
  await using page = await openPage(
    `import { createClient } from '@fish-crab/sdk'
    globalThis.add = async ({ baseUrl, fernetKey }) => {
      const client = createClient({ baseUrl, user: 'Alex', gamemode: 'earth', fernetKey })
      return (await client.fish.add({ name: 'Pike', rarity: 1 })).replayed
    }`,
    skip,
  )
  await using server = await startWithFish({ FISH_ALLOWED_ORIGINS: page.origin })
  const before = page.loaded.size
  expect(await page.call('add', { baseUrl: server.url, fernetKey: server.fernetKey })).toBe(false)
  expect(page.loaded.size).toBeGreaterThan(before)
  const client = createClient({ baseUrl: server.url, user: 'Alex', gamemode: 'earth' })
  expect((await client.fish.list()).fish.map(({ name }) => name)).toEqual([...FISH.map(({ name }) => name), 'Pike'])
})
