import { globSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RARITIES } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { PROJECT } from '../test-support/language-tools.ts'
import { launchChromium } from '../test-support/launch-chromium.ts'
import { leaveUndrawn } from '../test-support/leave-undrawn.ts'
import { seededNumbers } from '../test-support/seeded-numbers.ts'
import { ROOT, startServerProcess } from '../test-support/server-process.ts'
import { PLAYER_APP_VIEWS } from './player-app.ts'

const FOLDER = join(PROJECT, 'docs/pages')
const NOW = Date.UTC(2026, 10, 22, 18)
const DAY_MS = 86_400_000
const NAMES = [
  ...['Salmon', 'Cod', 'Tropical Fish', 'Pufferfish', 'Bluegill', 'Carp', 'Koi', 'Catfish', 'Pike', 'Perch'],
  ...['Sturgeon', 'Anglerfish', 'Clownfish', 'Blue Tang', 'Barracuda', 'Tuna', 'Swordfish', 'Halibut', 'Mackerel'],
  ...['Eel', 'Sunfish', 'Coelacanth', 'Piranha', 'Neon Tetra', 'Guppy', 'Angelfish', 'Lionfish', 'Seahorse'],
]
/** The percentages of fish with rarity 1, rarity 2 and so on. */
const SHARES = [42, 28, 16, 8, 1, 4, 1]
const CRABS = { crab: 34, 'Hermit Crab': 9, 'King Crab': 3 }
const ON_STREAM = { Cod: 'Gold', 'Blue Tang': 'Diamond', Salmon: 'Silver', Coelacanth: 'Mythical' } as const
/** A fixed id and time, because ids and times of the service would change the pictures at every run. */
const MADE = { id: '019ab7f3-5c1e-7d42-9a3b-6f0d2c8e4b71', createdAt: new Date(NOW - 40 * DAY_MS).toISOString() }
const SECRETS = {
  password: 'oF3mC9sWq0TzLx7vRb2K',
  fernetKey: 'c2VjcmV0IG9mIGEgcGljdHVyZSwgYW5kIG5vdCBvZiBhbnk=',
  apiKey: 'fck_a0picture0of0a0key0that0opens0nothing0at0all',
}

type Open = (page: Page, url: string) => Promise<unknown>

const show = (path: string, selector: string) => async (page: Page, url: string) => {
  await page.goto(url + path)
  await page.locator(selector).first().waitFor()
}
const openCollection = show('/@Alex', '.history svg')

async function signIn(page: Page, url: string, fragment: string): Promise<void> {
  await page.goto(`${url}/admin#${fragment}`)
  await page.getByLabel('Name').fill(ROOT.username)
  await page.getByLabel('Password').fill(ROOT.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

function respond(page: Page, path: string, body: unknown): Promise<unknown> {
  return page.route(`**/admin/${path}`, (route) =>
    route.request().resourceType() === 'document' ? route.fallback() : route.fulfill({ json: body }),
  )
}

async function catchFive(page: Page): Promise<void> {
  for (let catches = 0; catches < 5; catches += 1) await page.getByRole('button', { name: 'Catch something' }).click()
}

/** Shows the preview that a chat would generate for a link from the tags of the linked page. */
async function openPreview(page: Page, link: string): Promise<void> {
  await page.goto(link)
  const tags = await page.evaluate(() => {
    const content = (name: string) =>
      document.querySelector<HTMLMetaElement>(`meta[property="og:${name}"]`)?.content ?? ''
    return { title: content('title'), description: content('description'), image: content('image') }
  })
  const { title, description, image } = tags
  const body = `<!doctype html><style>
    body { margin: 2rem; background: #313338; color: #dbdee1; font: 16px/1.4 sans-serif }
    article { max-width: 520px; margin-top: .5rem; padding: 1rem; border-left: 4px solid #3aa7c9; border-radius: 4px; background: #2b2d31 }
    h1 { margin: 0 0 .5rem; color: #62c5e8; font-size: 1rem } img { width: 100%; margin-top: 1rem; border-radius: 4px }
  </style><p>look what I caught <span style="color:#62c5e8">${link}</span></p>
  <article><h1>${title}</h1>${description}<img src="${image}"></article>`
  // The chat page has the same origin as the service, but no Content-Security-Policy, which would block the inline
  // styles.
  await page.route('**/chat', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }))
  await page.goto(new URL('/chat', link).href)
  await page.locator('img').evaluate((image: HTMLImageElement) => image.decode())
}

/** Functions that open the page of each picture. A picture's name ends with the width and the colour scheme. */
const VIEWS: Readonly<Record<string, Open>> = {
  'home-1440-light home-390-dark': show('/', 'h1'),
  'collection-1440-dark collection-768-dark collection-390-light': openCollection,
  'collection-1440-light': openCollection,
  'demo-768-light': show('/demo', '.bars'),
  'versus-1440-dark versus-390-light': show('/@Alex/vs/@Mia', '.versus'),
  'leaderboard-768-light': show('/leaderboard', '.leaders'),
  'species-1440-dark species-390-light': show('/@Alex/species?name=Salmon', '.rarity-row'),
  'month-1440-light month-390-dark': show('/@Alex/2026-11', '.month-days'),
  'crabs-390-dark': show('/@Crabby', '.card'),
  'unknown-390-light': show('/@Nobody', '.empty'),
  'empty-390-light': show('/@Newcomer', '.empty'),
  'admin-overview-1440-light': (page, url) => signIn(page, url, 'overview').then(() => page.locator('.bars').waitFor()),
  async 'table-1440-light'(page, url) {
    await openCollection(page, url)
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('heading', { name: 'Species' }).evaluate((heading) => heading.scrollIntoView())
  },
  async 'print-768-dark'(page, url) {
    await openCollection(page, url)
    await page.emulateMedia({ media: 'print' })
  },
  async 'milestones-1440-light'(page, url) {
    await openCollection(page, url)
    await page.getByRole('heading', { name: 'Milestones' }).evaluate((heading) => heading.scrollIntoView())
  },
  async 'preview-640-light'(page, url) {
    await page.setViewportSize({ width: 640, height: 470 })
    await openPreview(page, `${url}/@Alex`)
  },
  async 'limited-390-dark'(page, url) {
    const json = { error: 'Too many requests.', code: 'rate_limited', requestId: 'a' }
    await leaveUndrawn(page)
    await page.route('**/get/**', (route) => route.fulfill({ status: 429, headers: { 'retry-after': '130' }, json }))
    await show('/@Alex', '.notice')(page, url)
  },
  async 'offline-390-light'(page, url) {
    await openCollection(page, url)
    await page.context().setOffline(true)
    await page.locator('.notice').waitFor()
  },
  async 'overlay-390-dark'(page, url) {
    await page.setViewportSize({ width: 390, height: 400 })
    await show('/overlay/Alex?gamemode=survival', '.caught')(page, url)
    // Draws a game as the background of the overlay.
    await page.evaluate(() => {
      document.documentElement.style.background = 'linear-gradient(#8fc7ea 40%, #2f6f8f 40% 75%, #8d7a55 75%)'
    })
  },
  async 'overlay-960-dark'(page, url) {
    await page.setViewportSize({ width: 960, height: 540 })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.clock.install({ time: NOW })
    await page.goto(`${url}/overlay?name=Alex&gamemode=survival&mode=alert`)
    await catchFive(page)
    while ((await page.locator('.alert.rarest').count()) === 0) await page.clock.fastForward(10_000)
    await page.evaluate(() => {
      document.body.replaceChildren(document.querySelector('.scene') as Element)
      for (const animation of document.getAnimations()) {
        animation.pause()
        animation.currentTime = 900
      }
    })
  },
  async 'overlay-setup-1440-light'(page, url) {
    await page.goto(`${url}/overlay?name=Alex&gamemode=survival`)
    await catchFive(page)
  },
  async 'admin-player-1440-dark'(page, url) {
    const lastCatch = { at: new Date(NOW).toISOString(), kind: 'fish', gamemode: 'survival' }
    await respond(page, 'users/Alex', { ...MADE, name: 'Alex', totals: { fish: 571, crab: 5 }, lastCatch })
    await signIn(page, url, 'players/Alex?gamemode=survival')
    await page.locator('.record').first().waitFor()
  },
  async 'admin-audit-1440-light'(page, url) {
    const actions = ['login', 'user.reset.api-key', 'fish.delete', 'admin.create', 'key.read', 'user.create', 'login']
    const entries = actions.map((action, index) => ({
      id: `${index}`,
      at: new Date(NOW - index * 47 * 60_000).toISOString(),
      actor: index % 6 === 0 ? 'mia' : 'root',
      action,
      ...(action === 'login' ? {} : { subject: action === 'admin.create' ? 'mia' : 'Alex' }),
      ...(action === 'fish.delete' ? { gamemode: 'earth', count: 3 } : {}),
      address: '203.0.113.7',
      requestId: MADE.id.replace('71', String(80 + index)),
    }))
    await respond(page, 'audit?*', { entries })
    await signIn(page, url, 'audit')
    await page.locator('.audit').waitFor()
  },
  async 'admin-secrets-390-dark'(page, url) {
    await signIn(page, url, 'players')
    await page.getByRole('button', { name: 'New player' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Bea')
    await respond(page, 'users', { ...MADE, name: 'Bea', ...SECRETS })
    await respond(page, 'users/Bea', { ...MADE, name: 'Bea' })
    await page.keyboard.press('Enter')
    await page.getByText('Save them now').waitFor()
  },
  ...PLAYER_APP_VIEWS,
}

/** Stores the same catches in each run. */
async function fill(url: string): Promise<void> {
  const admin = createAdminClient({ baseUrl: url, ...ROOT })
  for (const name of ['Alex', 'Mia', 'Crabby', 'Newcomer']) await admin.users.create({ name })
  const next = seededNumbers(7)
  const rarities = RARITIES.flatMap(({ value }) => Array.from({ length: SHARES[value - 1] ?? 0 }, () => value))
  const caught = (name: string) => ({ name, caughtAt: new Date(NOW - next() ** 1.2 * 40 * DAY_MS) })
  const fish = Array.from({ length: 480 }, () => ({
    ...caught(NAMES[Math.floor(next() ** 2 * NAMES.length)] ?? 'Salmon'),
    rarity: rarities[Math.floor(next() * rarities.length)] ?? 1,
  }))
  const crabs = Object.entries(CRABS).flatMap(([name, count]) => Array.from({ length: count }, () => caught(name)))
  await admin.fish.add('Alex', fish, { gamemode: 'earth' })
  await admin.crabs.add('Alex', crabs, { gamemode: 'earth' })
  const latest = Object.entries(ON_STREAM).map(([name, rarity], index) => ({
    name,
    rarity,
    caughtAt: new Date(NOW - 4000 + index * 1000),
  }))
  await admin.fish.add('Alex', latest, { gamemode: 'survival' })
  for (const entry of fish.slice(0, 6)) await admin.fish.add('Alex', entry, { gamemode: 'survival' })
  await admin.fish.add('Mia', [...fish.slice(0, 60), { ...caught('Oarfish'), rarity: 'Platinum' }], {
    gamemode: 'earth',
  })
  await admin.crabs.add('Crabby', crabs, { gamemode: 'factions' })
}

/** Takes the pictures of docs/pages.md again, and removes all other screenshots. */
export async function takePages(): Promise<void> {
  const browser = await launchChromium()
  if (!browser) throw new Error('Chromium was not found. Run: apt-get install chromium')
  const server = await startServerProcess({
    FISH_STORAGE: 'memory:',
    FISH_RATE_LIMIT: '1000',
    FISH_PUBLIC_LEADERBOARD: '1',
    FISH_PUBLIC_URL: 'http://127.0.0.1:8799',
    FISH_PORT: '8799',
  })
  try {
    await fill(server.url)
    for (const name of globSync('*.png', { cwd: FOLDER })) await rm(join(FOLDER, name))
    for (const [files, open] of Object.entries(VIEWS)) {
      for (const file of files.split(' ')) {
        const [scheme, width = ''] = file.split('-').reverse()
        const page = await browser.newPage({
          viewport: { width: Number(width), height: width === '390' ? 844 : 900 },
          colorScheme: scheme === 'dark' ? 'dark' : 'light',
          reducedMotion: 'reduce',
          timezoneId: 'UTC',
          locale: 'en-GB',
        })
        await page.clock.setFixedTime(NOW)
        await open(page, server.url)
        await page.screenshot({ path: join(FOLDER, `${file}.png`) })
        await page.close()
      }
    }
  } finally {
    await server.end('SIGTERM')
    await browser.close()
  }
}
