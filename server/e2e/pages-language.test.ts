import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { startServer } from './pages.ts'

const BATCH = 500

/** Adds 4,376 fish to the four of Alex. The last one is caught on 3 February at 12:30. */
async function startRichServer() {
  const server = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
  const fish = Array.from({ length: 4376 }, (_, index) => ({
    name: `Koi ${index % 40}`,
    rarity: 'Gold' as const,
    caughtAt: new Date(Date.UTC(2026, 1, 3, 12, 30) - index * 600_000),
  }))
  for (let start = 0; start < fish.length; start += BATCH)
    await server.admin.fish.add('Alex', fish.slice(start, start + BATCH), { gamemode: 'earth' })
  return server
}

describe('the pages in a browser of another language', () => {
  it('have English numbers and months, and the hours of the reader after hydration', async ({ skip }) => {
    const { url } = await startRichServer()
    for (const [locale, time] of [
      ['ar-EG', '1:30 am'],
      ['de-DE', '01:30'],
    ] as const) {
      const options = { locale, timezoneId: 'Pacific/Auckland' }
      const drawn = await (await startBrowser(skip, { ...options, javaScriptEnabled: false })).newPage()
      await drawn.goto(`${url}/@Alex`)
      expect(await drawn.locator('.counts').textContent()).toContain('4,380 fish')
      expect(await drawn.locator('.since').textContent()).toContain('last catch 3 Feb 2026, 12:30')

      const page = await (await startBrowser(skip, options)).newPage()
      await page.goto(`${url}/@Alex`)
      await expect.poll(() => page.locator('.since').textContent()).toContain(`last catch 4 Feb 2026, ${time}`)
      expect(await page.locator('.since time').last().getAttribute('datetime')).toBe('2026-02-03T12:30:00.000Z')
      expect(await page.locator('.counts').textContent()).toContain('4,380 fish')
      expect(await page.locator('.history .level text').last().textContent()).toMatch(/^[\d.]+k?$/)
      expect(await page.locator('.history').first().textContent()).toMatch(/ (Jan|Feb) 2026/)
      expect(await page.locator('main').textContent()).not.toMatch(/[^\p{ASCII}\p{P}\p{S}\p{Z}]/u)

      await page.goto(`${url}/overlay/Alex`)
      await expect.poll(() => page.locator('.all').textContent()).toContain('4,380 fish')
    }
  })

  it('keep their layout when times change to the zone and the hours of the reader', async ({ skip }) => {
    const { url } = await startRichServer()
    const browser = await startBrowser(skip, { locale: 'en-US', timezoneId: 'Pacific/Auckland' })
    const page = await browser.newPage()
    const shifts: unknown[] = []
    for (const path of ['/leaderboard', '/@Alex', '/@Alex/species?name=Salmon']) {
      for (const width of [320, 390, 600, 800, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        await page.goto(url + path)
        await page.waitForFunction(() =>
          [...document.querySelectorAll('time')].some(({ textContent, title }) => /\d [ap]m/.test(textContent + title)),
        )
        const moved = await page.evaluate(
          () =>
            new Promise<string[]>((resolve) => {
              requestAnimationFrame(() =>
                requestAnimationFrame(() => {
                  const observer = new PerformanceObserver(() => {})
                  observer.observe({ type: 'layout-shift', buffered: true })
                  const records = observer.takeRecords() as (PerformanceEntry & {
                    readonly sources: readonly { readonly node: Node | null }[]
                  })[]
                  resolve(
                    records.flatMap(({ sources }) =>
                      sources
                        // The state of the stream is a text of another length in each state.
                        .filter(({ node }) => !node?.parentElement?.closest('.live'))
                        .map(({ node }) => node?.textContent ?? ''),
                    ),
                  )
                }),
              )
            }),
        )
        shifts.push(...moved.map((text) => [width, path, text]))
      }
    }
    expect(shifts).toEqual([])
  })
})
