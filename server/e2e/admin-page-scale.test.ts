import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings } from '../../scripts/test-support/page-access.ts'
import { openAdministration } from './admin-page.ts'
import { ADMIN, startServer } from './pages.ts'

const EARTH = { gamemode: 'earth' } as const
const UNLIMITED = { FISH_RATE_LIMIT: '1000', FISH_ADMIN_RATE_LIMIT: '10000' } as const
const SPECIES = ['Salmon', 'Koi', 'Cod', 'Golden Trout'] as const
const RARITIES = ['Bronze', 'Silver', 'Gold'] as const

/** Starts a server on which Bea has eight batches of 500 fish, and one of the fish is wrong. */
async function startLargeServer() {
  const server = await startServer(UNLIMITED)
  const { admin } = server
  await admin.users.create({ name: 'Bea' })
  for (let batch = 0; batch < 8; batch += 1) {
    const fish = Array.from({ length: 500 }, (_, index) => ({
      name: batch === 3 && index === 250 ? 'Wrong Whale' : (SPECIES[index % SPECIES.length] ?? ''),
      rarity: RARITIES[index % RARITIES.length] ?? 'Gold',
      caughtAt: new Date(Date.UTC(2026, batch, 1, 12) + index * 60_000).toISOString(),
    }))
    await admin.fish.add('Bea', fish, EARTH)
  }
  return server
}

const notice = (page: Page) => page.locator('.removal')
const found = (page: Page, text: string) => page.locator('.found').getByText(text, { exact: true }).waitFor()
const namesOf = (page: Page) => page.locator('.record .entry strong').allTextContents()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

/** Counts the requests that remove catches. */
function watchRemovals(page: Page): string[] {
  const removals: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'DELETE') removals.push(new URL(request.url()).search)
  })
  return removals
}

async function checkAccess(page: Page): Promise<void> {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    expect([width, await accessibilityFindings(page)]).toEqual([width, []])
    expect([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([width, width])
  }
}

/** Returns the words that are spread over several lines. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const broken: string[] = []
    while (texts.nextNode()) {
      const text = texts.currentNode as Text
      if (!text.parentElement?.checkVisibility()) continue
      for (const { 0: word, index } of text.data.matchAll(/[^\s-]+/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
      }
    }
    return broken
  })
}

describe('the administrators’ page with 4,000 catches of a player', () => {
  it('finds one wrong catch in a batch, and removes only this catch after the time to undo', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startLargeServer()
    const page = await browser.newPage()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const removals = watchRemovals(page)
    await openAdministration(page, url, '#players')
    await page.getByRole('link', { name: 'Bea' }).click()
    await found(page, '4,000 fish, newest first')
    await page.getByLabel('Find a species').fill('whale')
    await found(page, '1 of 4,000 fish')
    expect(new URL(page.url()).hash).toBe('#players/Bea?kind=fish&gamemode=earth&text=whale')
    expect(await namesOf(page)).toEqual(['Wrong Whale'])
    await checkAccess(page)

    await page.clock.install()
    await page.getByRole('button', { name: 'Remove Wrong Whale' }).click()
    await notice(page).getByText('Removed Wrong Whale.').waitFor()
    await found(page, '0 of 3,999 fish')
    expect(await focused(page)).toBe('Undo')
    await page.keyboard.press('Enter')
    await found(page, '1 of 4,000 fish')
    await page.clock.fastForward(11_000)
    expect(removals).toEqual([])

    await page.getByRole('button', { name: 'Remove Wrong Whale' }).click()
    const response = page.waitForResponse((one) => one.request().method() === 'DELETE')
    await page.clock.fastForward(10_000)
    expect((await response).status()).toBe(204)
    expect(removals).toEqual(['?gamemode=earth&entry=250'])
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.getByText('3,999 fish and 0 crabs').waitFor()
    const { fish } = await admin.fish.list('Bea', EARTH)
    expect([fish.length, fish.filter(({ name }) => name === 'Wrong Whale')]).toEqual([3999, []])
  })

  it('filters by rarity and day, opens a batch, and keeps the filter in the history', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startLargeServer()
    const page = await browser.newPage()
    await openAdministration(page, url, '#players/Bea')
    await page.getByLabel('Rarity').selectOption('Silver')
    await found(page, '1,336 of 4,000 fish')
    await page.getByLabel('Day').fill('2026-04-01')
    await found(page, '167 of 4,000 fish')
    expect(await page.locator('.entry').count()).toBe(4)
    await page.getByRole('button', { name: /^Show 50 more of 163: / }).click()
    expect(await page.locator('.entry').count()).toBe(54)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.locator('.audit').waitFor()
    await page.goBack()
    await found(page, '167 of 4,000 fish')
    expect(await page.getByLabel('Day').inputValue()).toBe('2026-04-01')
    await page.getByLabel('Day').fill('2025-04-01')
    await found(page, '0 of 4,000 fish')
    await page.getByLabel('Show').selectOption('Crabs')
    await page.getByText('No crabs in earth').waitFor()
    expect(new URL(page.url()).hash).toBe('#players/Bea?kind=crab&gamemode=earth&day=2025-04-01')
  })

  it('removes a whole batch after a dialog whose focus is on Cancel', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startLargeServer()
    const page = await browser.newPage()
    const removals = watchRemovals(page)
    await openAdministration(page, url, '#players/Bea')
    await page
      .getByRole('button', { name: /^Remove all/ })
      .first()
      .click()
    expect(await focused(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    expect(await page.locator('dialog').count()).toBe(0)
    await page
      .getByRole('button', { name: /^Remove all/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Remove 500 catches' }).click()
    await found(page, '3,500 fish, newest first')
    expect(await focused(page)).toBe('Undo')
    await checkAccess(page)
    // The next removal sends the first one.
    await page
      .getByRole('button', { name: /^Remove Salmon$/ })
      .first()
      .click()
    await expect.poll(() => removals).toEqual(['?gamemode=earth'])
    await expect.poll(async () => (await admin.fish.list('Bea', EARTH)).fish.length).toBe(3500)

    for (const name of ['Replace password', 'Replace API key']) {
      await page.getByRole('button', { name }).click()
      expect([name, await focused(page)]).toEqual([name, 'Cancel'])
      await page.keyboard.press('Escape')
    }
  })

  it('warns before a removal is cancelled by leaving, sends it when the administrator signs out, and reports failures', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer(UNLIMITED)
    await admin.fish.add('Alex', { name: 'Cod', rarity: 'Gold' }, EARTH)
    const names = async () => (await admin.fish.list('Alex', EARTH)).fish.map(({ name }) => name)
    const page = await browser.newPage()
    const removals = watchRemovals(page)
    const remove = async () => {
      await openAdministration(page, url, '#players/Alex?gamemode=earth')
      await page.getByRole('button', { name: 'Remove Cod' }).click()
      await notice(page).getByText('If you leave this page now, it is not removed.').waitFor()
    }
    await remove()
    const asked: string[] = []
    page.once('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    expect([asked, removals]).toEqual([['beforeunload'], []])
    expect(await names()).toContain('Cod')

    // The views of the page share the notice, and an error brings the catch back.
    await remove()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.total').first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.route(`${url}/admin/users/Alex/fish/*`, (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('alert').getByText('Remove Cod: It is unknown whether this was done').waitFor()
    await page.unroute(`${url}/admin/users/Alex/fish/*`)
    expect(await names()).toContain('Cod')

    await page.goto('about:blank')
    await remove()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You have signed out.').waitFor()
    await expect.poll(names).not.toContain('Cod')
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describe('the administrators’ page with 304 players', () => {
  it('returns to the same rows and position, and sorts and filters the list', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer(UNLIMITED)
    for (let index = 0; index < 303; index += 1) await admin.users.create({ name: `Player${1000 + index}` })
    await admin.fish.add('Player1290', { name: 'Cod', rarity: 'Gold' }, EARTH)
    const page = await browser.newPage()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await openAdministration(page, url, '#players')
    const rows = page.locator('tbody tr')
    const more = page.getByRole('button', { name: 'Show more players' })
    await more.click()
    await expect.poll(() => rows.count()).toBe(100)
    await more.click()
    await expect.poll(() => rows.count()).toBe(150)
    const link = page.getByRole('link', { name: 'Player1120' })
    await link.scrollIntoViewIfNeeded()
    const scroll = await page.evaluate(() => scrollY)
    expect(scroll).toBeGreaterThan(1000)
    for (const back of [() => page.goBack(), () => page.getByRole('link', { name: '← All players' }).click()]) {
      await link.click()
      await page.getByRole('heading', { level: 1, name: 'Player1120' }).waitFor()
      const reread = page.waitForResponse(/cursor=.*/)
      await back()
      await rows.first().waitFor()
      expect([await rows.count(), await page.evaluate(() => scrollY)]).toEqual([150, scroll])
      await reread
    }
    await page.getByRole('link', { name: 'Players', exact: true }).click()
    await link.click()
    await page.getByRole('link', { name: 'Players', exact: true }).click()
    await expect.poll(() => rows.count()).toBe(50)

    // The first press on a count shows the largest first.
    const sort = async (column: string, ...first: string[]) => {
      await page.getByRole('button', { name: column, exact: true }).click()
      await expect.poll(async () => (await rows.locator('a').allTextContents()).slice(0, first.length)).toEqual(first)
    }
    await sort('Fish', 'Alex', 'Player1290', 'Player1000')
    expect(new URL(page.url()).hash).toBe('#players?sort=-fish')
    expect(await rows.count()).toBe(304)
    await checkAccess(page)
    // Phones have no column for the date of creation.
    await page.setViewportSize({ width: 1440, height: 844 })
    expect(await page.getByRole('columnheader', { name: 'Fish' }).getAttribute('aria-sort')).toBe('descending')
    await sort('Latest catch', 'Player1290', 'Alex')
    await sort('Created', 'Player1302')
    await sort('Created', 'Alex', 'Player1000')
    await sort('Player', 'Alex', 'Player1000')
    await sort('Player', 'Player1302')
    await page.getByLabel('Find a player').fill('129')
    await expect.poll(() => rows.count()).toBe(11)
    await page.getByText('11 players').waitFor()
    await expect.poll(() => rows.first().locator('a').textContent()).toBe('Player1299')
    expect(new URL(page.url()).hash).toBe('#players?search=129&sort=-name')
  })

  it('sorts at most the first 1,000 players, and reports that there are more', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer(UNLIMITED)
    const page = await browser.newPage()
    let reads = 0
    await page.route(`${url}/admin/users?*`, (route) => {
      const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      const users = Array.from({ length: 50 }, (_, index) => {
        const name = `Player${10_000 + start + index}`
        return { id: name, name, createdAt: '2026-01-01T00:00:00.000Z', totals: { fish: start + index, crab: 0 } }
      })
      reads += 1
      return route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({ users, nextCursor: String(start + 50) }),
      })
    })
    await openAdministration(page, url, '#players?sort=-fish')
    await page.getByText('The first 1,000 players by name are sorted. The service has more').waitFor()
    expect([reads, await page.locator('tbody a').first().textContent()]).toEqual([20, 'Player10999'])
  })
})

describe('the administrators’ page at 320 px', () => {
  it('breaks no word, offers no removal of the last superadmin, and shows request ids only on demand', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer(UNLIMITED)
    await admin.admins.create({ username: 'moderator', password: 'a-long-password' })
    for (let batch = 0; batch < 25; batch += 1) {
      const fish = Array.from({ length: 500 }, () => ({ name: 'Golden Anglerfish', rarity: 'Mythical' as const }))
      await admin.fish.add('Alex', fish, EARTH)
    }
    const page = await browser.newPage()
    await page.setViewportSize({ width: 320, height: 800 })
    await openAdministration(page, url)
    for (const [fragment, ready] of [
      ['#overview', 'main:has(.bars) .facts'],
      ['#players', 'table'],
      ['#leaderboard', 'table'],
      ['#audit', '.audit'],
      ['#administrators', 'table'],
      ['#players/Alex?gamemode=earth', '.record'],
    ] as const) {
      await page.goto(`${url}/admin${fragment}`)
      await page.locator(ready).first().waitFor()
      expect([fragment, await brokenWords(page)]).toEqual([fragment, []])
      expect([fragment, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([fragment, 320])
    }

    await page.goto(`${url}/admin#administrators`)
    await page.getByRole('button', { name: 'Remove moderator' }).waitFor()
    expect(await page.getByRole('button', { name: `Remove ${ADMIN.username}` }).count()).toBe(0)
    await admin.admins.create({ username: 'second', password: 'a-long-password', role: 'superadmin' })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Administrators' }).click()
    await page.getByRole('button', { name: `Remove ${ADMIN.username}` }).waitFor()

    await page.getByRole('link', { name: 'Audit log' }).click()
    const { requestId = '' } = (await admin.audit.list({ limit: 1 })).entries[0] ?? {}
    const id = page.getByText(requestId)
    const show = page.getByRole('button', { name: 'Show request ids' })
    await show.waitFor()
    expect(await id.count()).toBe(0)
    await show.click()
    await id.waitFor()
    await checkAccess(page)
  })
})
