import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { leaveUndrawn } from '../../scripts/test-support/leave-undrawn.ts'
import { accessibilityFindings, tabTo } from '../../scripts/test-support/page-access.ts'
import { ALEX, startServer } from './pages.ts'

type Server = Awaited<ReturnType<typeof startServer>>

const WIDTHS = [390, 768, 1440]
const SCHEMES = ['light', 'dark'] as const

/** Every page in every state that lasts, with a function that opens the page in that state. */
const STATES: readonly [name: string, open: (page: Page, server: Server) => Promise<unknown>][] = [
  ['home', async (page, { url }) => page.goto(url)],
  [
    'a wrong name',
    async (page, { url }) => {
      await page.goto(url)
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('alert').waitFor()
    },
  ],
  [
    'cards',
    async (page, { url }) => {
      await page.goto(url + ALEX)
      await page.locator('.history svg').waitFor()
      await page.getByLabel('Show', { exact: true }).selectOption('Gold')
      await page.getByRole('button', { name: 'Compare' }).click()
    },
  ],
  [
    'tables',
    async (page, { url }) => {
      await page.goto(url + ALEX)
      await page.locator('.history svg').waitFor()
      await page.getByText('As a table').click()
      await page.getByRole('button', { name: 'Table' }).click()
    },
  ],
  [
    'the demo collection',
    async (page, { url }) => {
      await page.goto(`${url}/demo`)
      await page.locator('.bars').waitFor()
    },
  ],
  [
    'an empty collection',
    async (page, { url }) => {
      await page.goto(`${url}/@Alex?gamemode=factions`)
      await page.locator('.empty').waitFor()
    },
  ],
  [
    'an unknown player',
    async (page, { url }) => {
      await page.goto(`${url}/@Nobody`)
      await page.locator('.empty').waitFor()
    },
  ],
  [
    'no connection',
    async (page, { url }) => {
      await leaveUndrawn(page)
      await page.route('**/get/**', (route) => route.abort('connectionrefused'))
      await page.goto(url + ALEX)
      await page.locator('.notice').waitFor()
    },
  ],
  [
    'the setup of an overlay',
    async (page, { url }) => {
      await page.goto(`${url}/overlay`)
      await page.getByLabel('Player').fill('Alex')
      for (let catches = 0; catches < 5; catches += 1)
        await page.getByRole('button', { name: 'Catch something' }).click()
    },
  ],
  [
    'two players',
    async (page, { url, admin }) => {
      await admin.users.create({ name: 'Ben' })
      await admin.fish.add('Ben', [{ name: 'Koi', rarity: 'Gold' }], { gamemode: 'earth' })
      await page.goto(`${url}/@Alex/vs/@Ben`)
      await page.locator('.versus-rows').waitFor()
    },
  ],
  [
    'the same player twice',
    async (page, { url }) => {
      await page.goto(`${url}/@Alex/vs/@alex`)
      await page.locator('.empty').waitFor()
    },
  ],
  [
    'a page above the rate limit',
    async (page, { url }) => {
      await page.route('**/leaderboard', async (route) => {
        const response = await route.fetch()
        const problem = JSON.stringify({ kind: 'limited', retryAt: Date.now() + 300_000, retryAfterMs: 300_000 })
        const body = (await response.text())
          .replace(
            /"view":"leaderboard".*?<\/script>/s,
            `"view":"problem","title":"Leaderboard","problem":${problem}}</script>`,
          )
          .replace(/<div id="app">.*<\/div>/s, '<div id="app"></div>')
        await route.fulfill({ response, body })
      })
      await page.goto(`${url}/leaderboard`)
      await page.locator('.countdown').waitFor()
    },
  ],
  [
    'the leaderboard',
    async (page, { url }) => {
      await page.goto(`${url}/leaderboard`)
      await page.locator('.leaders').waitFor()
    },
  ],
  [
    'the setup of a goal',
    async (page, { url }) => {
      await page.goto(`${url}/overlay?name=Alex&mode=goal&theme=light&corner=bottom-right`)
      await page.getByRole('button', { name: 'Catch something' }).click()
    },
  ],
  [
    'the setup of an alert',
    async (page, { url }) => {
      await page.goto(`${url}/overlay?name=Alex&mode=alert`)
      await page.getByRole('button', { name: 'Catch something' }).click()
    },
  ],
  [
    'loading',
    async (page, { url }) => {
      await leaveUndrawn(page)
      await page.route('**/get/**', () => {})
      await page.goto(url + ALEX)
      await page.locator('.placeholder').first().waitFor()
    },
  ],
]

async function openPage(browser: BrowserContext, width: number): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewportSize({ width, height: 844 })
  return page
}

describe('the pages', () => {
  it.for(STATES)(
    '%s: the page has no accessibility findings and no truncated text, at any width, in the light and dark schemes',
    async ([, open], { skip }) => {
      const browser = await startBrowser(skip)
      const server = await startServer({ FISH_RATE_LIMIT: '1000', FISH_PUBLIC_LEADERBOARD: '1' })
      const page = await openPage(browser, 390)
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await open(page, server)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme })
          expect([width, colorScheme, await accessibilityFindings(page)]).toEqual([width, colorScheme, []])
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect([width, overflow]).toEqual([width, 0])
        }
      }
    },
  )

  it('every task can be done by keyboard alone', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await openPage(browser, 1440)
    const { keyboard } = page
    await page.goto(url)
    await tabTo(page, /^Player$/)
    await keyboard.type('Alex')
    await keyboard.press('Enter')
    await page.waitForURL(/@Alex/)
    await page.locator('.history svg').waitFor()

    await keyboard.press('Tab')
    await tabTo(page, /^Skip to the content$/)
    await keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
    await tabTo(page, /^Compare$/)
    await keyboard.press('Enter')
    await tabTo(page, /^Compare with$/)
    await tabTo(page, /^earth/)
    await keyboard.press('Enter')
    await page.waitForURL(/gamemode=earth/)
    await tabTo(page, /^Search$/)
    await keyboard.type('salm')
    await tabTo(page, /^Show$/)
    await keyboard.press('G')
    await tabTo(page, /^Sort by$/)
    await keyboard.press('N')
    await tabTo(page, /^Table$/)
    await keyboard.press('Enter')
    await page.waitForURL(/q=salm&only=Gold&sort=name&view=table/)
    expect(await page.locator('.species-table tbody tr').count()).toBe(1)
    await tabTo(page, /^As a table$/)
    await keyboard.press('Enter')
    await page.locator('.history table').waitFor()
    await tabTo(page, /^API reference$/)

    // The focused element has a visible outline.
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)
    expect(outline).toBe('solid')
  })

  it('pages have no animations for users who prefer reduced motion', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      const page = await openPage(browser, 390)
      await page.emulateMedia({ reducedMotion })
      await leaveUndrawn(page)
      await page.route('**/get/**', () => {})
      await page.goto(url + ALEX)
      await page.locator('.placeholder').first().waitFor()
      const moving = await page.evaluate(() => document.getAnimations().length)
      expect([reducedMotion, moving > 0]).toEqual([reducedMotion, reducedMotion !== 'reduce'])
    }
  })

  it('the pages show times in the local time zone, and "Share" copies the address of the current view', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip, { locale: 'en-GB' })
    const { url } = await startServer()
    await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await openPage(browser, 1440)
    const client = await browser.newCDPSession(page)
    await client.send('Emulation.setTimezoneOverride', { timezoneId: 'Pacific/Auckland' })
    await page.goto(url + ALEX)
    // Noon in UTC is 1 a.m. on the next day in New Zealand.
    await expect.poll(() => page.locator('.since').textContent()).toContain('last catch 4 Feb 2026, 01:00')
    await page.getByRole('searchbox').fill('sal')
    await page.getByLabel('Show', { exact: true }).selectOption('Gold')
    await page.getByLabel('Sort by').selectOption('Name')
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Link copied' }).waitFor()
    const view = `${url}${ALEX}&q=sal&only=Gold&sort=name&view=table`
    expect([await page.evaluate(() => navigator.clipboard.readText()), page.url()]).toEqual([view, view])
  })
})
