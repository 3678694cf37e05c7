import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { HOSTILE, watchAttacks, watchPage } from './watch-page.ts'

describe('hostile names', () => {
  it('are shown as text on every page, and never violate the content security policy', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    await admin.users.create({ name: '__proto__' })
    for (const user of ['Alex', '__proto__']) {
      await admin.fish.add(
        user,
        HOSTILE.map((name) => ({ name, rarity: 'Gold' }) as const),
        { gamemode: 'earth' },
      )
      await admin.crabs.add(
        user,
        HOSTILE.map((name) => ({ name })),
        { gamemode: 'earth' },
      )
    }
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    const attacks = await watchAttacks(page)
    for (const path of [ALEX, '/@__proto__?gamemode=earth']) {
      await page.goto(url + path)
      await page.locator('.card').first().waitFor()
      const shown = await page.locator('.card-name').allTextContents()
      expect(shown).toEqual(expect.arrayContaining(HOSTILE))
      await page.locator('.history svg').waitFor()
      await page.getByRole('searchbox').fill('<img src=x onerror=attack()>')
      expect(await page.locator('.card').count()).toBe(2)
      await page.getByRole('searchbox').fill('')
      await page.getByRole('button', { name: 'Table' }).click()
      expect(await page.locator('.species-table tbody tr').count()).toBe(2 * HOSTILE.length + (path === ALEX ? 3 : 0))
      await page.getByRole('button', { name: 'Table' }).click()
      expect(await attacks()).toEqual([])
    }
    await page.goto(`${url}/overlay/__proto__?gamemode=earth&show=%3Cscript%3Eattack()&theme=__proto__`)
    await page.locator('.caught').first().waitFor()
    await admin.fish.add('__proto__', { name: HOSTILE[0] as string, rarity: 'Mythical' }, { gamemode: 'earth' })
    await page
      .locator('.caught.rarest')
      .getByText(HOSTILE[0] as string)
      .waitFor()
    expect(await attacks()).toEqual([])
    expect(complaints).toEqual([])
    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
  })

  it('are harmless even in the address of a page', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    const attacks = await watchAttacks(page)
    for (const text of HOSTILE) {
      for (const path of [`/@${encodeURIComponent(text)}`, `/@Alex?gamemode=${encodeURIComponent(text)}`]) {
        await page.goto(url + path)
        await page.locator('h1').waitFor()
        expect([path, await attacks()]).toEqual([path, []])
      }
    }
  })
})

describe('the content security policy of the pages', () => {
  it('blocks markup from strings, inline scripts, workers and code from strings', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const attacks = await watchAttacks(page)
    await page.goto(url)
    const refused = await page.evaluate(() => {
      const attempt = (action: () => unknown) => {
        try {
          action()
          return 'taken'
        } catch (error) {
          return (error as Error).name
        }
      }
      const inline = () => {
        const script = document.createElement('script')
        script.append('attack()')
        document.body.append(script)
      }
      return [
        attempt(() => {
          document.body.innerHTML = '<b>attack</b>'
        }),
        attempt(() => new Worker('/assets/other.js')),
        attempt(inline),
        attempt(() => setTimeout('attack()')),
      ]
    })
    expect(refused.slice(0, 2)).toEqual(['TypeError', 'TypeError'])
    const seen = await attacks()
    expect(seen).not.toContain('attack')
    expect(seen.length).toBeGreaterThan(2)
  })

  it('prevents other sites from framing the pages', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const host = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${url}/"></iframe><iframe src="${url}/@Alex"></iframe>`)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      host.closeAllConnections()
      host.close()
    })
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
    await expect.poll(() => complaints.filter((text) => text.includes('frame-ancestors')).length).toBe(2)
    for (const frame of page.frames().slice(1)) expect(await frame.locator('#app').count()).toBe(0)
  })

  it('blocks scripts that were changed after the build', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.route(/\.js$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: `${await response.text()};document.title = 'changed'` })
    })
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(`${url}/overlay`)
    await expect.poll(() => complaints.join()).toContain('integrity')
    expect(await page.title()).toBe('Stream overlay · Fish and Crab Collection')
    expect(await page.locator('#app').innerHTML()).toBe('')
  })
})
