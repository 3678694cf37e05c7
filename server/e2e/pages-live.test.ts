import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings } from '../../scripts/test-support/page-access.ts'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'
import { ADMIN, ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

const KOI = { name: 'Koi', rarity: 'Mythical' } as const
const PIKE = { name: 'Pike', rarity: 'Platinum' } as const

const stateOf = (page: Page) => page.locator('.live-text').textContent()
const toastOf = (page: Page) => page.locator('.toasts a')

/** Opens a page whose stream is open, and records everything that its toasts announce. */
async function openLive(page: Page, url: string): Promise<() => Promise<readonly string[]>> {
  await page.clock.install()
  await page.goto(url)
  await expect.poll(() => stateOf(page)).toMatch(/^Updated \d s ago.* · connecting soon$/)
  await page.evaluate(() => {
    const announced: (string | null)[] = []
    Object.assign(globalThis, { announced })
    new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const { textContent } of addedNodes) announced.push(textContent)
    }).observe(document.querySelector('.toasts[role=status]') as Element, { childList: true, subtree: true })
  })
  await page.clock.fastForward(11_000)
  await expect.poll(() => stateOf(page)).toBe('Live')
  return () => page.evaluate(() => (globalThis as unknown as { announced: readonly string[] }).announced)
}

describe('the page of a player', () => {
  it('is live only while its stream is open, says why it is not during a restart, and keeps its layout', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const folder = mkdtempSync(join(tmpdir(), 'fish-live-'))
    const env = { FISH_STORAGE: `file:${folder}`, FISH_RATE_LIMIT: '1000' }
    let server = await startServerProcess(env)
    onTestFinished(async () => {
      if (server.child.exitCode === null) await server.end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
    const { url } = server
    const admin = createAdminClient({ baseUrl: url, ...ADMIN })
    await admin.users.create({ name: 'Alex' })
    await admin.fish.add('Alex', PIKE, { gamemode: 'earth' })
    const page = await browser.newPage()
    await openLive(page, `${url}/@Alex`)
    const tabs = page.getByRole('navigation', { name: 'Gamemode' })
    // The notice moves the row, but the state keeps its size and its place in the row.
    const sizes = async () => {
      const boxes = [await page.locator('.live').boundingBox(), await tabs.boundingBox()]
      return boxes.map((box) => box && { ...box, y: box.y - (boxes[1]?.y ?? 0) })
    }
    const before = await sizes()
    const passUntil = (pattern: RegExp) =>
      expect
        .poll(async () => {
          await page.clock.runFor(500)
          return stateOf(page)
        })
        .toMatch(pattern)

    await server.end('SIGTERM')
    await passUntil(/^Updated .* ago.* · reconnecting$/)
    const notice = page.locator('.notice')
    await expect.poll(() => notice.textContent()).toMatch(/^Reconnecting.*Trying again in \d:\d\d/)
    expect(await sizes()).toEqual(before)

    server = await startServerProcess({ ...env, FISH_PORT: new URL(url).port })
    await admin.fish.add('Alex', KOI, { gamemode: 'survival' })
    await passUntil(/^Live$/)
    await page.locator('.card', { hasText: 'Koi' }).waitFor()
    expect(await notice.count()).toBe(0)

    await browser.setOffline(true)
    await expect.poll(() => stateOf(page)).toMatch(/ · offline$/)
    await expect.poll(() => notice.locator('strong').textContent()).toBe('Offline')
    expect(await notice.getByRole('button').count()).toBe(0)
  })

  it('shows a catch of any gamemode as one toast in each open tab, and the toast opens the species', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const pages = [await browser.newPage(), await browser.newPage()] as const
    const watched = pages.map((page) => watchPage(page, READ_TO_THE_END))
    const announced = [await openLive(pages[0], url + ALEX), await openLive(pages[1], url + ALEX)]
    for (const page of pages) {
      expect(await toastOf(page).count()).toBe(0)
      await page.evaluate(() => scrollTo(0, 300))
    }
    await admin.fish.add('Alex', PIKE, { gamemode: 'survival' })
    for (const page of pages) {
      await expect.poll(() => toastOf(page).allTextContents()).toEqual(['New: Pike (Platinum)'])
      const { y = 0, height = 0 } = (await toastOf(page).boundingBox()) ?? {}
      expect(height).toBeGreaterThanOrEqual(24)
      expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
    }
    expect(await Promise.all(announced.map((read) => read()))).toEqual([
      ['New: Pike (Platinum)'],
      ['New: Pike (Platinum)'],
    ])
    // One stream for each page delivers all gamemodes.
    for (const { requests } of watched) {
      const streams = requests.filter((request) => request.includes('/events'))
      expect(streams).toEqual([`${url}/events?name=Alex`])
    }

    await toastOf(pages[0]).click()
    await expect.poll(() => pages[0].getByRole('heading', { level: 1 }).textContent()).toBe('Pike')
    expect(pages[0].url()).toBe(`${url}/@Alex/species?name=Pike`)
    expect(await toastOf(pages[0]).count()).toBe(0)
    await pages[0].goBack()
    expect(pages[0].url()).toBe(url + ALEX)

    await toastOf(pages[1]).hover()
    await pages[1].clock.fastForward(10_000)
    expect(await toastOf(pages[1]).count()).toBe(1)
    await pages[1].mouse.move(0, 0)
    await pages[1].clock.fastForward(6000)
    await expect.poll(() => toastOf(pages[1]).count()).toBe(0)
    expect(watched.flatMap(({ complaints }) => complaints)).toEqual([])
  })

  it('shows the catches of one update as one toast that covers no link of the footer, without accessibility findings', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip, { reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
    const { url, admin } = await startServer()
    const page = await browser.newPage()
    const announced = await openLive(page, `${url}/@Alex`)
    const cod = { name: 'Cod', rarity: 'Bronze' } as const
    await admin.fish.add('Alex', [...Array(23).fill(cod), KOI, PIKE], { gamemode: 'earth' })
    await expect.poll(() => toastOf(page).allTextContents()).toEqual(['New: Koi (Mythical) and 24 more'])
    await toastOf(page).hover()
    expect(await announced()).toEqual(['New: Koi (Mythical) and 24 more'])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect([colorScheme, await accessibilityFindings(page)]).toEqual([colorScheme, []])
    }
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    const tabs = await page.getByRole('navigation', { name: 'Gamemode' }).boundingBox()
    expect(tabs?.width).toBeGreaterThan(250)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    const { y = 0, height = 0 } = (await toastOf(page).boundingBox()) ?? {}
    const footer = await page.getByRole('contentinfo').getByRole('link').first().boundingBox()
    expect(y).toBeGreaterThan(0)
    expect(y + height).toBeLessThanOrEqual(footer?.y ?? 0)
    await page.emulateMedia({ media: 'print' })
    expect(await toastOf(page).isVisible()).toBe(false)
  })
})
