import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROUTES } from '@fish-crab/sdk/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { type ServerProcess, startServerProcess } from '../../scripts/test-support/server-process.ts'
import { watchPage } from './watch-page.ts'

async function startServer(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-docs-'))
  const server = await startServerProcess({ FISH_STORAGE: `file:${folder}`, ...env })
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.end('SIGKILL')
    await rm(folder, { recursive: true })
  })
  return server
}

describe('the API reference in a real browser', () => {
  it('lists every operation, asks nobody but its server, and nothing goes wrong', async ({ skip }) => {
    const browser = await startBrowser(skip)
    // Every operation that a server can have.
    const { url } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page)
    await page.goto(`${url}/docs`)
    await page.waitForSelector('.opblock')

    expect(await page.title()).toContain('API reference')
    const shown = await page
      .locator('.opblock')
      .evaluateAll((blocks) =>
        blocks.map((block) =>
          ['.opblock-summary-method', '.opblock-summary-path'].map((part) =>
            block.querySelector(part)?.textContent?.replace(/\u200b/g, ''),
          ),
        ),
      )
    const expected = Object.values(ROUTES).map(({ method, path }) => [method, path.replace(/:(\w+)/g, '{$1}')])
    expect(shown.sort()).toEqual(expected.sort())

    // One of them is opened and tried: its response is shown, and is the server's.
    const block = page.locator('#operations-public-demoCrab')
    await block.locator('.opblock-summary-control').click()
    await block.locator('.try-out__btn').click()
    await block.locator('.execute').click()
    const response = block.locator('.live-responses-table .response-col_description pre').first()
    await response.waitFor()
    expect(await response.textContent()).toContain('Hermit Crab')

    // The rest of the page may not need what its policy forbids either: an operation of each tag, and the dialog.
    const tags = page.locator('.opblock-tag-section')
    for (const tag of await tags.all()) await tag.locator('.opblock-summary-control').last().click()
    await page
      .locator('.opblock.is-open')
      .nth(await tags.count())
      .waitFor()
    await page.locator('.btn.authorize').first().click()
    await page.locator('.modal-ux input').first().waitFor()

    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
    expect(requests).toEqual(expect.arrayContaining([`${url}/docs`, `${url}/openapi.json`, `${url}/demo/crab`]))
    expect(complaints).toEqual([])
  })

  it('leaves nothing behind that keeps the server from exiting at once, its worker and its open connections included', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const server = await startServer({ FISH_LOG: 'json' })
    const page = await browser.newPage()
    await page.goto(`${server.url}/docs`)
    await page.waitForSelector('.opblock')
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log().trim().split('\n').slice(-2)
    const log = lines.map((line) => JSON.parse(line) as { msg: string; time: string })
    expect(log.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^stopping/), 'stopped'])
    // By its own clock well within the grace: nothing had to be cut.
    const [stopping = Number.NaN, stopped = Number.NaN] = log.map(({ time }) => Date.parse(time))
    expect(stopped - stopping).toBeLessThan(9000)
  })
})
