import type { Page } from 'playwright-core'
import { describe, expect, it, type TestContext } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings, tabTo } from '../../scripts/test-support/page-access.ts'
import { READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

const LEADERBOARD = /\/leaderboard\?/

/** Opens a page of a service with a public leaderboard of Alex, Albert, Malin and Rich. */
async function open(
  skip: TestContext['skip'],
  env: Readonly<Record<string, string>> = { FISH_PUBLIC_LEADERBOARD: '1' },
) {
  const browser = await startBrowser(skip)
  const { url, admin } = await startServer(env)
  for (const name of ['Rich', 'Malin', 'Albert']) {
    await admin.users.create({ name })
    await admin.fish.add(name, { name: 'Cod', rarity: 'Bronze' }, { gamemode: 'earth' })
  }
  const page = await browser.newPage()
  await page.setViewportSize({ width: 390, height: 844 })
  return { url, page, ...watchPage(page, READ_TO_THE_END) }
}

/** Visits the page of a player, so that the device knows the player. */
async function visit(page: Page, address: string) {
  await page.goto(address)
  await page.locator('.card').first().waitFor()
}

const field = (page: Page) => page.getByLabel('Player', { exact: true })
const options = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
const names = (page: Page) => options(page).allTextContents()
const isExpanded = (page: Page) => field(page).getAttribute('aria-expanded')

/** The name of the option that is active for a screen reader. */
const activeName = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return id ? document.getElementById(id)?.textContent : undefined
  })

describe('the search for a player', () => {
  it('lists matching players of the leaderboard after one request, and a keyboard alone opens one', async ({
    skip,
  }) => {
    const { url, page, requests } = await open(skip)
    const { keyboard } = page
    await page.goto(url)
    await tabTo(page, /^Player$/)
    expect(await names(page)).toEqual([])
    await keyboard.type('al')
    await expect.poll(() => names(page)).toEqual(['Alex', 'Albert', 'Malin'])
    expect(await isExpanded(page)).toBe('true')
    expect(await activeName(page)).toBeUndefined()
    await keyboard.press('ArrowUp')
    expect(await activeName(page)).toBe('Malin')
    await keyboard.press('Home')
    expect(await activeName(page)).toBeUndefined()
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowDown')
    expect(await activeName(page)).toBe('Albert')
    await keyboard.press('ArrowUp')
    expect(await activeName(page)).toBe('Alex')
    expect(requests.filter((request) => LEADERBOARD.test(request))).toHaveLength(1)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Alex', level: 1 }).waitFor()
    expect(page.url()).toBe(`${url}/@Alex`)
  })

  it('opens a typed name although the list is open, and an option with a pointer', async ({ skip }) => {
    const { url, page } = await open(skip)
    await page.goto(url)
    await field(page).pressSequentially('Rich')
    await options(page).getByText('Rich').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/@Rich`)
    await field(page).pressSequentially('lb')
    await options(page).getByText('Albert').click()
    await page.waitForURL(`${url}/@Albert`)
  })

  it('closes its list on Escape and when it loses the focus, and keeps its text', async ({ skip }) => {
    const { url, page } = await open(skip)
    await page.goto(url)
    await field(page).pressSequentially('al')
    await options(page).first().waitFor()
    await page.keyboard.press('Escape')
    expect(await isExpanded(page)).toBe('false')
    await page.keyboard.press('Escape')
    expect(await field(page).inputValue()).toBe('al')
    await page.keyboard.press('ArrowDown')
    expect(await activeName(page)).toBe('Alex')
    await page.getByRole('heading', { level: 1 }).click()
    expect(await isExpanded(page)).toBe('false')
    expect(await names(page)).toEqual([])
  })

  it('offers the last players of this device, without a request, if the leaderboard is not public', async ({
    skip,
  }) => {
    const { url, page, requests } = await open(skip, {})
    await visit(page, `${url}/@Rich`)
    await visit(page, `${url}/@Alex`)
    await page.goto(url)
    const seen = page.getByRole('list', { name: 'Players seen on this device' }).getByRole('link')
    await expect.poll(() => seen.allTextContents()).toEqual(['Alex', 'Rich', 'Demo collection'])
    await field(page).focus()
    await expect.poll(() => names(page)).toEqual(['Alex', 'Rich'])
    await page.keyboard.type('r')
    await expect.poll(() => names(page)).toEqual(['Rich'])
    expect(requests.filter((request) => LEADERBOARD.test(request))).toEqual([])
  })

  it('offers other players to compare with, and Escape closes first the list and then the field', async ({ skip }) => {
    const { url, page } = await open(skip)
    await visit(page, `${url}/@Rich`)
    await visit(page, `${url}/@Alex`)
    const button = page.getByRole('button', { name: 'Compare' }).first()
    await button.click()
    await expect.poll(() => names(page)).toEqual(['Rich'])
    await page.keyboard.press('Escape')
    expect(await names(page)).toEqual([])
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await button.getAttribute('aria-expanded')).toBe('false')
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.type('ric')
    await options(page).getByText('Rich').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/@Alex/vs/@Rich`)
  })

  it('has no accessibility findings and moves nothing while its list is open', async ({ skip }) => {
    const { url, page, complaints } = await open(skip)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await visit(page, `${url}/@Rich`)
    for (const path of ['/', '/@Rich']) {
      await page.goto(url + path)
      const below = page.locator('main section').nth(1)
      const before = await below.boundingBox()
      await field(page).pressSequentially('al')
      await options(page).getByText('Malin').waitFor()
      await page.keyboard.press('ArrowDown')
      expect(await below.boundingBox()).toEqual(before)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect([path, colorScheme, await accessibilityFindings(page)]).toEqual([path, colorScheme, []])
      }
      const heights = await options(page).evaluateAll((all) => all.map((one) => one.clientHeight))
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(40)
    }
    expect(complaints).toEqual([])
  })
})

describe('the page of a player who does not exist', () => {
  it('links to the same page of the player with the closest name', async ({ skip }) => {
    const { url, page } = await open(skip)
    await page.goto(`${url}/@Alxe`)
    await page.getByRole('link', { name: 'Alex', exact: true }).click()
    await page.getByRole('heading', { name: 'Alex', level: 1 }).waitFor()
    await page.goto(`${url}/@Rich/vs/@Malni`)
    expect(await page.getByText('Did you mean').textContent()).toBe('Did you mean Malin?')
    await page.getByRole('link', { name: 'Malin' }).click()
    await page.waitForURL(`${url}/@Rich/vs/@Malin`)
    await page.locator('.versus').waitFor()
  })

  it('suggests nobody if no known name is close', async ({ skip }) => {
    const { url, page } = await open(skip)
    const loaded = page.waitForResponse(LEADERBOARD)
    await page.goto(`${url}/@Zzzzzzzz`)
    await loaded
    expect(await page.getByText('Did you mean').count()).toBe(0)
  })
})
