import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

/** Requests for the data or the page of a player. */
const DATA = /\/(get\/(?!species)|demo|status|events|@)/

describe('the page of a species in a real browser', () => {
  it('opens in place without a request, and Back returns to the place, the filter and the focus', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const many = Array.from({ length: 60 }, (_, index) => ({ name: `Fish ${index}`, rarity: 'Bronze' as const }))
    await admin.fish.add('Alex', many, { gamemode: 'earth' })
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(`${url}${ALEX}&q=fish&sort=name`)
    const card = page.getByRole('link', { name: 'Fish 30', exact: true })
    await card.scrollIntoViewIfNeeded()
    await page.evaluate(() => scrollBy(0, 200))
    const place = await page.evaluate(() => scrollY)
    expect(place).toBeGreaterThan(200)
    requests.length = 0
    // The link covers the whole card.
    await page.locator('.card', { has: card }).locator('.card-times').click({ force: true })
    const heading = page.getByRole('heading', { level: 1 })
    await expect.poll(() => heading.textContent()).toBe('Fish 30')
    expect(await heading.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(page.url()).toBe(`${url}/@Alex/species?name=Fish+30&gamemode=earth&q=fish&sort=name`)
    expect(await page.title()).toBe('Fish 30 · Alex · Fish and Crab Collection')
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await page.goBack()
    await card.waitFor()
    expect(page.url()).toBe(`${url}${ALEX}&q=fish&sort=name`)
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(place)
    expect(await card.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('fish')
    expect(await page.title()).toBe('Alex · Fish and Crab Collection')
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('is opened, turned and closed by keyboard', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.goto(`${url}/@Alex`)
    await page.locator('.live-text').waitFor()
    const card = page.locator('.card').getByRole('link', { name: 'Koi' })
    await card.focus()
    expect(await card.evaluate((one) => getComputedStyle(one, '::after').outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    const name = () => page.getByRole('heading', { level: 1 }).textContent()
    await expect.poll(name).toBe('Koi')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await expect.poll(name).toBe('Salmon')
    await page.keyboard.press('ArrowRight')
    await expect.poll(name).toBe('crab')
    await page.keyboard.press('ArrowLeft')
    await page.getByPlaceholder('Find a player').press('ArrowLeft')
    await expect.poll(name).toBe('Salmon')
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('Escape')
    await page.locator('.card').first().waitFor()
    expect(page.url()).toBe(`${url}/@Alex`)
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Salmon')
  })

  it('is the same after a reload, and shows a species that a player has just caught', async ({ skip }) => {
    const browser = await startBrowser(skip, { timezoneId: 'UTC', locale: 'en-GB' })
    const { url, admin } = await startServer()
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(`${url}/@Alex`)
    await page.locator('.card').getByRole('link', { name: 'Salmon' }).click()
    const article = page.locator('.species-page')
    await article.waitFor()
    await page.getByRole('link', { name: /^Earth/i }).click()
    const before = await article.innerHTML()
    await page.reload()
    await page.waitForLoadState('networkidle')
    expect(await article.innerHTML()).toBe(before)
    expect(await article.locator('.rarity-row:not(.quiet)').allTextContents()).toEqual([
      'Gold×2 caught31 Jan 2026 –  to 1 Feb 2026',
      'Bronze×1 caught2 Feb 2026',
    ])
    const [x1, x2] = await article
      .locator('.span')
      .first()
      .evaluate((line) => {
        const { left, right } = line.getBoundingClientRect()
        return [left, right]
      })
    expect((x2 ?? 0) - (x1 ?? 0)).toBeGreaterThan(100)
    await page.clock.install()
    await page.goto(`${url}/@Alex/species?name=nessie`)
    await page.getByText('Not caught yet by').waitFor()
    await admin.fish.add('Alex', { name: 'Nessie', rarity: 'Mythical' }, { gamemode: 'earth' })
    await page.clock.fastForward('01:05')
    await page.getByText('Caught by').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows each day after one request for each gamemode, and the countdown of the rate limit', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '3' })
    const page = await browser.newPage()
    const { requests } = watchPage(page)
    await page.goto(`${url}/@Alex/species?name=Salmon`)
    await page.waitForResponse(/get\/species/)
    requests.length = 0
    await page.getByRole('button', { name: 'Show each day' }).click()
    const chart = page.locator('.species-page .history svg')
    await chart.waitFor()
    expect(await chart.getAttribute('aria-label')).toMatch(/^3 catches by/)
    expect(requests.filter((request) => DATA.test(request))).toEqual([
      `${url}/get/fish?name=Alex&gamemode=earth&detail=full`,
    ])
    await page.getByRole('link', { name: /^Previous/ }).click()
    await page.getByRole('button', { name: 'Show each day' }).click()
    await page.getByText('Too many requests').waitFor()
  })

  it('takes over what the server drew, whatever the name contains', async ({ skip }) => {
    const browser = await startBrowser(skip, { timezoneId: 'UTC', locale: 'en-GB' })
    const { url, admin } = await startServer()
    const names = ['</script>', '<!--<script', '\u202eevil', '..', 'a/b', 'card.png', '\u{1f41f}', '{{title}}']
    await admin.fish.add(
      'Alex',
      names.map((name) => ({ name, rarity: 'Mythical' as const })),
      { gamemode: 'survival' },
    )
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    for (const name of names) {
      await page.goto(`${url}/@Alex/species?${new URLSearchParams({ name })}`)
      const drawn = await page.locator('h1').elementHandle()
      expect(await drawn?.textContent()).toBe(name)
      const path = page.url()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.url()).not.toBe(path)
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => page.url()).toBe(path)
      expect(await drawn?.evaluate((one) => one.isConnected)).toBe(true)
    }
    expect(complaints).toEqual([])
  })
})
