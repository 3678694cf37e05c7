// npm run screenshots: takes the pictures of docs/pages.md, of the built pages, with data and a time that are always the same.
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RARITIES, type RarityValue } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { launchChromium } from './test-support/launch-chromium.ts'
import { startServerProcess } from './test-support/server-process.ts'

const FOLDER = fileURLToPath(new URL('../docs/pages/', import.meta.url))
const NOW = Date.UTC(2026, 10, 22, 18)
const DAY_MS = 86_400_000
const NAMES = [
  ...['Salmon', 'Cod', 'Tropical Fish', 'Pufferfish', 'Bluegill', 'Carp', 'Koi', 'Catfish', 'Pike', 'Perch'],
  ...['Sturgeon', 'Anglerfish', 'Clownfish', 'Blue Tang', 'Barracuda', 'Tuna', 'Swordfish', 'Halibut', 'Mackerel'],
  ...['Eel', 'Sunfish', 'Coelacanth', 'Piranha', 'Neon Tetra', 'Guppy', 'Angelfish', 'Lionfish', 'Seahorse'],
]
/** Of a hundred fish, by the number of the rarity. */
const SHARES = [42, 28, 16, 8, 1, 4, 1]
const CRABS = { crab: 34, 'Hermit Crab': 9, 'King Crab': 3 }

type View = readonly [name: string, open: (page: Page, url: string) => Promise<unknown>]

const openCollection = async (page: Page, url: string) => {
  await page.goto(`${url}/@Alex?gamemode=earth`)
  await page.locator('.history svg').waitFor()
}

/** Why a collection is not there, or not up to date: taken once each. */
const STATES: readonly View[] = [
  [
    'empty',
    async (page, url) => page.goto(`${url}/@Alex?gamemode=factions`).then(() => page.locator('.empty').waitFor()),
  ],
  [
    'limited',
    async (page, url) => {
      const headers = { 'content-type': 'application/json', 'retry-after': '130' }
      const body = JSON.stringify({ error: 'Too many requests.', code: 'rate_limited', requestId: 'a' })
      await page.route('**/get/**', (route) => route.fulfill({ status: 429, headers, body }))
      await page.goto(`${url}/@Alex?gamemode=earth`)
      await page.locator('.notice').waitFor()
    },
  ],
  [
    'offline',
    async (page, url) => {
      await openCollection(page, url)
      await page.context().setOffline(true)
      await page.locator('.notice').waitFor()
    },
  ],
  [
    'overlay',
    async (page, url) => {
      await page.setViewportSize({ width: 390, height: 400 })
      await page.goto(`${url}/overlay/Alex?gamemode=survival`)
      await page.locator('.caught').first().waitFor()
      // What is behind it on a stream.
      await page.evaluate(() => {
        document.documentElement.style.background = 'linear-gradient(#8fc7ea 40%, #2f6f8f 40% 75%, #8d7a55 75%)'
      })
    },
  ],
]

const signIn = async (page: Page, url: string, fragment: string) => {
  await page.goto(`${url}/admin#${fragment}`)
  await page.getByLabel('Name').fill('root')
  await page.getByLabel('Password').fill('root-password')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

const respond = (page: Page, path: string, body: unknown) =>
  page.route(`**/admin/${path}`, (route) =>
    route.request().resourceType() === 'document'
      ? route.fallback()
      : route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) }),
  )

/** Times and ids of the service differ from run to run, so these are made up. */
const MADE = { id: '019ab7f3-5c1e-7d42-9a3b-6f0d2c8e4b71', createdAt: new Date(NOW - 40 * DAY_MS).toISOString() }

/** Taken at every width, in light and dark. */
const VIEWS: readonly View[] = [
  ['home', (page, url) => page.goto(url)],
  ['collection', openCollection],
  [
    'table',
    async (page, url) => {
      await openCollection(page, url)
      await page.getByRole('button', { name: 'Table' }).click()
      await page.getByRole('heading', { name: 'Species by rarity' }).evaluate((heading) => heading.scrollIntoView())
    },
  ],
  ['demo', async (page, url) => page.goto(`${url}/?demo`).then(() => page.locator('.bars').waitFor())],
  [
    'overlay-setup',
    async (page, url) => {
      await page.goto(`${url}/overlay`)
      await page.getByLabel('Player').fill('Alex')
      for (let catches = 0; catches < 5; catches += 1)
        await page.getByRole('button', { name: 'Catch something' }).click()
    },
  ],
  ['unknown', async (page, url) => page.goto(`${url}/@Nobody`).then(() => page.locator('.empty').waitFor())],
  [
    'docs',
    async (page, url) => {
      await page.goto(`${url}/docs#/public/getUserKey`)
      await page.locator('.opblock.is-open').waitFor()
    },
  ],
  ['admin-overview', async (page, url) => signIn(page, url, 'overview').then(() => page.locator('.bars').waitFor())],
  [
    'admin-player',
    async (page, url) => {
      await respond(page, 'users/Alex', { ...MADE, name: 'Alex' })
      await signIn(page, url, 'players/Alex?gamemode=survival')
      await page.locator('.record').first().waitFor()
    },
  ],
]

/** More of the administrators' page, taken once each. */
const ADMIN_VIEWS: readonly (readonly [...View, width: number, scheme: 'light' | 'dark'])[] = [
  [
    'admin-audit',
    async (page, url) => {
      const actions = ['login', 'user.reset.api-key', 'fish.delete', 'admin.create', 'key.read', 'user.create', 'login']
      const entries = actions.map((action, index) => ({
        id: `${index}`,
        at: new Date(NOW - index * 47 * 60_000).toISOString(),
        actor: index % 6 === 0 ? 'mia' : 'root',
        action,
        ...(action === 'login' ? {} : { subject: action === 'admin.create' ? 'mia' : 'Alex' }),
        address: '203.0.113.7',
        requestId: MADE.id.replace('71', String(80 + index)),
      }))
      await respond(page, 'audit?*', { entries })
      await signIn(page, url, 'audit')
      await page.locator('.audit').waitFor()
    },
    1440,
    'light',
  ],
  [
    'admin-secrets',
    async (page, url) => {
      const secrets = {
        password: 'oF3mC9sWq0TzLx7vRb2K',
        fernetKey: 'c2VjcmV0IG9mIGEgcGljdHVyZSwgYW5kIG5vdCBvZiBhbnk=',
        apiKey: 'fck_a0picture0of0a0key0that0opens0nothing0at0all',
      }
      await signIn(page, url, 'players')
      await page.getByRole('button', { name: 'New player' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Bea')
      await respond(page, 'users', { ...MADE, name: 'Bea', ...secrets })
      await respond(page, 'users/Bea', { ...MADE, name: 'Bea' })
      await page.keyboard.press('Enter')
      await page.getByText('Save them now').waitFor()
    },
    390,
    'dark',
  ],
]

/** Numbers from 0 up to 1, always the same ones. */
function numbers(): () => number {
  let state = 7
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

function rarityAt(share: number): RarityValue {
  let rest = share * 100
  const index = SHARES.findIndex((part) => {
    rest -= part
    return rest < 0
  })
  return RARITIES[index]?.value ?? 1
}

async function fill(url: string): Promise<void> {
  const admin = createAdminClient({ baseUrl: url, username: 'root', password: 'root-password' })
  await admin.users.create({ name: 'Alex' })
  const next = numbers()
  const time = (days: number) => new Date(NOW - next() ** 1.2 * days * DAY_MS)
  const fish = Array.from({ length: 480 }, () => ({
    name: NAMES[Math.floor(next() ** 2 * NAMES.length)] ?? 'Salmon',
    rarity: rarityAt(next()),
    caughtAt: time(40),
  }))
  const crabs = Object.entries(CRABS).flatMap(([name, count]) =>
    Array.from({ length: count }, () => ({ name, caughtAt: time(40) })),
  )
  await admin.fish.add('Alex', fish, { gamemode: 'earth' })
  await admin.crabs.add('Alex', crabs, { gamemode: 'earth' })
  const onStream = [
    { name: 'Cod', rarity: 'Gold' },
    { name: 'Blue Tang', rarity: 'Diamond' },
    { name: 'Salmon', rarity: 'Silver' },
    { name: 'Coelacanth', rarity: 'Mythical' },
  ] as const
  const later = (index: number) => new Date(NOW + index * 1000)
  const caught = onStream.map((one, index) => ({ ...one, caughtAt: later(index - onStream.length) }))
  await admin.fish.add('Alex', caught, { gamemode: 'survival' })
  for (const entry of fish.slice(0, 6)) await admin.fish.add('Alex', entry, { gamemode: 'survival' })
}

const browser = await launchChromium()
if (!browser) throw new Error('Chromium was not found: apt-get install chromium')
const server = await startServerProcess({ FISH_STORAGE: 'memory:', FISH_RATE_LIMIT: '1000' })
try {
  await fill(server.url)
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  const take = async ([name, open]: View, width: number, colorScheme: 'light' | 'dark') => {
    const context = await browser.newContext({
      viewport: { width, height: width < 500 ? 844 : 900 },
      colorScheme,
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
      locale: 'en-GB',
    })
    const page = await context.newPage()
    await page.clock.setFixedTime(NOW)
    await open(page, server.url)
    await page.screenshot({ path: `${FOLDER}${name}-${width}-${colorScheme}.png` })
    await context.close()
  }
  for (const view of VIEWS) {
    for (const width of [390, 768, 1440]) {
      for (const scheme of ['light', 'dark'] as const) await take(view, width, scheme)
    }
  }
  for (const [name, open, width, scheme] of ADMIN_VIEWS) await take([name, open], width, scheme)
  for (const [index, view] of STATES.entries()) await take(view, 390, index % 2 === 0 ? 'light' : 'dark')
} finally {
  await server.end('SIGTERM')
  await browser.close()
}
