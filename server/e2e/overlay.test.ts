import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { tabTo } from '../../scripts/test-support/page-access.ts'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'
import { READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

const OVERLAY = '/overlay/Alex?gamemode=earth'
const EARTH = { gamemode: 'earth' } as const

/** Opens a page with the size of a browser source in streaming software. */
async function openPage(browser: BrowserContext): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 600, height: 500 })
  return page
}

/** Collects the names of all alerts in the page's variable `alerts`, and installs a clock that the test can advance. */
async function countAlerts(page: Page): Promise<void> {
  await page.clock.install()
  await page.addInitScript(() => {
    const alerts: string[] = []
    Object.assign(globalThis, { alerts })
    new MutationObserver((records) => {
      for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (node instanceof Element && node.matches('.alert')) {
          alerts.push(node.querySelector('.caught-name')?.textContent ?? '')
        }
      }
    }).observe(document, { childList: true, subtree: true })
  })
}

const feedOf = (page: Page) => page.locator('.feed .caught-name').allTextContents()
const totalOf = (page: Page) => page.locator('.all').textContent()

describe('the overlay', () => {
  it('shows a new catch, highlights the rarest catch, and has a transparent background', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await openPage(browser)
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    const opened = page.waitForResponse((response) => response.url().includes('/events?'))
    await page.goto(url + OVERLAY)
    await opened
    await expect.poll(() => feedOf(page)).toEqual(['Koi', 'Salmon', 'crab', 'Salmon'])
    expect(await totalOf(page)).toBe('4 fish1 crab3 species')

    await admin.fish.add('Alex', { name: 'Leviathan', rarity: 'Mythical' }, EARTH)
    const acknowledgedAt = performance.now()
    await page.locator('.caught.rarest.enters').waitFor()
    const delayMs = performance.now() - acknowledgedAt
    process.stdout.write(`overlay: shown ${Math.round(delayMs)} ms after the acknowledgement (goal 1000)\n`)
    expect(await feedOf(page)).toEqual(['Leviathan', 'Koi', 'Salmon', 'crab'])
    expect(await page.locator('.rarest-catch .caught-name').textContent()).toBe('Leviathan')

    const grounds = await page.evaluate(() =>
      ['html', 'body', '#app', '.overlay'].map((one) => {
        const { backgroundColor, colorScheme } = getComputedStyle(document.querySelector(one) as Element)
        return [backgroundColor, one === 'html' ? colorScheme : '']
      }),
    )
    // A page with a colour scheme would have an opaque background.
    expect(new Set(grounds.map(String))).toEqual(new Set(['rgba(0, 0, 0, 0),normal', 'rgba(0, 0, 0, 0),']))
    expect(complaints).toEqual([])
    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
    // The page sends two requests, opens the stream, and sends two more requests when the stream is open.
    expect(requests.filter((request) => /\/(get|events)\b/.test(request)).length).toBeLessThanOrEqual(5)
  })

  it('leaves a connection free for further pages, regardless of the number of open overlays', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const pages: Page[] = []
    for (let count = 1; count <= 7; count += 1) {
      const page = await openPage(browser)
      pages.push(page)
      await page.clock.install()
      const hasStream = count > 5 || page.waitForResponse((response) => response.url().includes('/events?'))
      await page.goto(url + OVERLAY)
      await expect.poll(() => totalOf(page)).toBe('4 fish1 crab3 species')
      await hasStream
    }
    const showing = async (name: string) => (await Promise.all(pages.map(feedOf))).map(([newest]) => newest === name)
    await admin.fish.add('Alex', { name: 'Leviathan', rarity: 'Mythical' }, EARTH)
    await expect.poll(() => showing('Leviathan')).toEqual([true, true, true, true, true, false, false])

    // When an overlay closes, another overlay uses the free connection after its next poll.
    await pages.shift()?.close()
    for (const page of pages.slice(-2)) await page.clock.fastForward(60_000)
    await expect.poll(() => showing('Leviathan')).toEqual([true, true, true, true, true, true])
    await admin.fish.add('Alex', { name: 'Kraken', rarity: 'Mythical' }, EARTH)
    await expect.poll(async () => (await showing('Kraken')).filter(Boolean)).toHaveLength(5)
  })

  it('shows each catch once, in every mode, even if the server restarts, and shows no notice about the restart', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const folder = mkdtempSync(join(tmpdir(), 'fish-overlay-'))
    const env = { FISH_STORAGE: `file:${folder}`, FISH_RATE_LIMIT: '1000', FISH_ADMIN_RATE_LIMIT: '10000' }
    let server = await startServerProcess(env)
    onTestFinished(async () => {
      await server.end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
    const { url } = server
    const admin = createAdminClient({ baseUrl: url, username: 'root', password: 'root-password' })
    await admin.users.create({ name: 'Alex' })
    const open = async (mode: string) => {
      const page = await openPage(browser)
      if (mode === 'alert') await countAlerts(page)
      const opened = page.waitForResponse((response) => response.url().includes('/events?'))
      await page.goto(`${url}${OVERLAY}&mode=${mode}&goal=40&rarity=Gold`)
      await opened
      return page
    }
    const feed = await open('feed')
    const alert = await open('alert')
    const session = await open('session')
    const goal = await open('goal')
    await expect.poll(() => totalOf(feed)).toBe('0 fish0 crabs0 species')
    let stored = 0
    const add = async () => {
      stored += 1
      await admin.fish.add('Alex', { name: `Fish ${stored}`, rarity: 'Gold' }, EARTH)
    }
    const alerts = async () => {
      // Alerts are shown one after another, so advance the clock past the current alert.
      await alert.clock.fastForward(9000)
      const names = await alert.evaluate(() => (globalThis as unknown as { alerts: string[] }).alerts)
      return names.map((name) => Number(name.replace('Fish ', ''))).toSorted((one, other) => one - other)
    }
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      for (let catches = 0; catches < 5; catches += 1) await add()
      await server.end(signal)
      server = await startServerProcess({ ...env, FISH_PORT: new URL(url).port })
      for (let catches = 0; catches < 5; catches += 1) await add()
      await expect.poll(() => totalOf(feed)).toBe(`${stored} fish0 crabs${stored} species`)
      await expect
        .poll(() => session.locator('.counts').textContent())
        .toBe(`${stored} fish0 crabs${stored} new species`)
      await expect.poll(() => goal.locator('.goal-text').textContent()).toBe(`${stored} of 40 Gold today`)
      await expect.poll(alerts, { timeout: 30_000 }).toEqual(Array.from({ length: stored }, (_, index) => index + 1))
    }
    expect(await feedOf(feed)).toEqual([20, 19, 18, 17].map((number) => `Fish ${number}`))
    for (const page of [feed, alert, session, goal]) expect(await page.locator('.note').count()).toBe(0)
  })

  it('uses constant memory for thousands of catches, and never overflows the browser source', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await openPage(browser)
    const client = await browser.newCDPSession(page)
    await client.send('HeapProfiler.enable')
    const opened = page.waitForResponse((response) => response.url().includes('/events?'))
    await page.goto(url + OVERLAY)
    await opened
    let stored = 4
    const add = async (count: number) => {
      for (let at = 0; at < count; at += 500) {
        const names = Array.from({ length: 500 }, (_, index) => `A fish with a long name, ${index % 40}`)
        await admin.fish.add(
          'Alex',
          names.map((name) => ({ name, rarity: 'Mythical' }) as const),
          EARTH,
        )
      }
      stored += count
      await expect.poll(() => totalOf(page)).toContain(`${stored.toLocaleString('en-US')} fish`)
      await client.send('HeapProfiler.collectGarbage')
      const { usedSize } = await client.send('Runtime.getHeapUsage')
      return { megabytes: usedSize / 2 ** 20, nodes: await page.locator('*').count() }
    }
    const before = await add(1000)
    const after = await add(5000)
    expect(after.nodes).toBe(before.nodes)
    expect(after.megabytes - before.megabytes).toBeLessThan(1)
    const overflow = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement
      return [scrollWidth - innerWidth, scrollHeight - innerHeight]
    })
    expect(overflow).toEqual([0, 0])
  })

  it('omits old catches if the browser source is small, and never cuts off a part of a visible catch', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await openPage(browser)
    await page.goto(url + OVERLAY)
    await page.locator('.caught').first().waitFor()
    const shown = async (height: number) => {
      await page.setViewportSize({ width: 400, height })
      return page.locator('.caught, .rarest-catch, .all').evaluateAll((parts) =>
        parts.flatMap((part) => {
          const { left, bottom } = part.getBoundingClientRect()
          return left < innerWidth ? [{ part: part.className.split(' ')[0], isCut: bottom > innerHeight }] : []
        }),
      )
    }
    const whole = (...parts: string[]) => parts.map((part) => ({ part, isCut: false }))
    expect(await shown(500)).toEqual(whole('caught', 'caught', 'caught', 'caught', 'rarest-catch', 'all'))
    expect(await shown(270)).toEqual(whole('caught', 'caught', 'rarest-catch', 'all'))
    expect(await shown(215)).toEqual(whole('caught', 'rarest-catch', 'all'))
  })

  it('shows the newest catch next to the chosen corner, and older catches farther away', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await openPage(browser)
    for (const corner of ['top-left', 'top-right', 'bottom-left', 'bottom-right']) {
      await page.goto(`${url}${OVERLAY}&corner=${corner}&show=last`)
      await page.locator('.caught').first().waitFor()
      const [newest, second] = await page.locator('.caught').evaluateAll((items) =>
        items.map((item) => {
          const { left, right, top, bottom } = item.getBoundingClientRect()
          return { left: left, right: innerWidth - right, top: top, bottom: innerHeight - bottom }
        }),
      )
      const [vertical, horizontal] = corner.split('-') as ['top' | 'bottom', 'left' | 'right']
      expect([corner, newest?.[vertical], newest?.[horizontal]]).toEqual([
        corner,
        expect.closeTo(16.3, 0),
        expect.closeTo(16.3, 0),
      ])
      expect(second?.[vertical]).toBeGreaterThan(newest?.[vertical] ?? 0)
    }
  })

  it('plays a chime for a new catch only if the address of the overlay enables sound', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const pages: Page[] = []
    for (const query of ['', '&sound=on']) {
      const page = await openPage(browser)
      await page.addInitScript(() => {
        Object.assign(globalThis, { notes: 0 })
        const { start } = OscillatorNode.prototype
        OscillatorNode.prototype.start = function (when) {
          Object.assign(globalThis, { notes: (globalThis as unknown as { notes: number }).notes + 1 })
          start.call(this, when)
        }
        // Simulate streaming software, which permits sound without a click.
        AudioContext.prototype.resume = () => Promise.resolve()
      })
      const opened = page.waitForResponse((response) => response.url().includes('/events?'))
      await page.goto(url + OVERLAY + query)
      await opened
      pages.push(page)
    }
    await admin.fish.add('Alex', { name: 'Leviathan', rarity: 'Mythical' }, EARTH)
    for (const page of pages) await page.locator('.caught.rarest.enters').waitFor()
    const notes = () => Promise.all(pages.map((page) => page.evaluate('notes')))
    await expect.poll(notes).toEqual([0, 8])
  })

  it('has no animations for users who prefer reduced motion, and reports an unknown player', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await openPage(browser)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const opened = page.waitForResponse((response) => response.url().includes('/events?'))
    await page.goto(url + OVERLAY)
    await opened
    await admin.fish.add('Alex', { name: 'Leviathan', rarity: 'Mythical' }, EARTH)
    await page.locator('.caught.rarest.enters').waitFor()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.goto(`${url}${OVERLAY}&mode=alert`)
    await expect
      .poll(async () => {
        await admin.fish.add('Alex', { name: 'Kraken', rarity: 'Mythical' }, EARTH)
        return page.locator('.alert.rarest').count()
      })
      .toBe(1)
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.goto(`${url}/overlay/Nobody`)
    await page.getByText('No player “Nobody”').waitFor()
    await page.goto(`${url}/overlay/No%20body`)
    await page.getByText('No player “No body”').waitFor()
  })
})

it('the overlay shows invalid options, and the reason and a countdown if it opens during a rate limit', async ({
  skip,
}) => {
  const browser = await startBrowser(skip)
  const { url } = await startServer({ FISH_RATE_LIMIT: '2' })
  const page = await openPage(browser)
  await page.goto(`${url}/overlay/Alex?mode=bogus&gamemode=nope&goal=1e9`)
  const notes = () => page.locator('.note').allTextContents()
  await page.locator('.all').waitFor()
  expect((await notes())[0]).toBe('Invalid: mode=bogus, gamemode=nope, goal=1e9')
  await page.reload()
  await page.getByText('Too many requests').waitFor()
  expect((await notes())[1]).toMatch(/^Too many requests\. Trying again in \d/)
})

it('the setup page keeps the gamemode of the collection page, and gives no address for an unknown player', async ({
  skip,
}) => {
  const browser = await startBrowser(skip)
  const { url, admin } = await startServer()
  await admin.fish.add('Alex', { name: 'Pike', rarity: 'Gold' }, { gamemode: 'survival' })
  const page = await browser.newPage()
  await page.goto(`${url}/@Alex?gamemode=earth`)
  await page.getByRole('link', { name: 'Overlay', exact: true }).click()
  await page.waitForURL(`${url}/overlay?name=Alex&gamemode=earth`)
  const address = page.getByRole('textbox', { name: 'Address of your overlay' })
  expect(await address.inputValue()).toBe(`${url}/overlay/Alex?gamemode=earth`)
  await page.getByLabel('Player').fill('Nobody')
  await page.getByRole('alert').getByText('No player “Nobody” on this server.').waitFor()
  expect(await address.count()).toBe(0)
  await page.goto(`${url}/overlay?name=Alex&gamemode=nope`)
  await page.getByText('The overlay ignores these options: gamemode=nope.').waitFor()
})

it('the setup page builds an address by keyboard alone, parses a pasted address, and opens no event stream', async ({
  skip,
}) => {
  const browser = await startBrowser(skip)
  const { url, admin } = await startServer()
  await admin.users.create({ name: 'Kim' })
  await browser.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await browser.newPage()
  const { requests, complaints } = watchPage(page)
  await page.goto(`${url}/overlay`)
  const { keyboard } = page
  await tabTo(page, /^Player/)
  await keyboard.type('Al ex')
  await page.getByRole('alert').getByText('A name must be').waitFor()
  for (let letters = 0; letters < 3; letters += 1) await keyboard.press('Backspace')
  await keyboard.type('ex')
  await tabTo(page, /^All$/)
  while (!(await page.getByRole('radio', { name: 'earth' }).isChecked())) await keyboard.press('ArrowRight')
  await tabTo(page, /^Fish and crabs$/)
  await keyboard.press('ArrowRight')
  await tabTo(page, /^Totals$/)
  await keyboard.press('Space')
  await tabTo(page, /^Top left$/)
  await keyboard.press('ArrowRight')
  await tabTo(page, /^Dark$/)
  await keyboard.press('ArrowRight')
  await page.getByText('600 × 500, and move the source to the top right').waitFor()
  await tabTo(page, /^Copy address$/)
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await tabTo(page, /^Catch something$/)
  await keyboard.press('Enter')
  await page.locator('.scene .top-right.light .caught.enters').getByText('Herring').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${url}/overlay/Alex?gamemode=earth&kind=fish&show=last,rarest&corner=top-right&theme=light`,
  )
  await page.getByLabel('Player').fill(`${url}/overlay/Kim?gamemode=survival&kind=crab&theme=neon`)
  await page.getByRole('status').getByText('ignores these options: theme=neon.').waitFor()
  expect(await page.getByLabel('Player').inputValue()).toBe('Kim')
  expect(await page.getByRole('textbox', { name: 'Address of your overlay' }).inputValue()).toBe(
    `${url}/overlay/Kim?gamemode=survival&kind=crab`,
  )
  await page.goto(`${url}/overlay?name=Alex&gamemode=survival`)
  await page.getByRole('radio', { name: 'Goal' }).check()
  await page.getByLabel('Goal', { exact: true }).and(page.locator('[type=number]')).fill('3')
  await page.getByLabel('Rarity').selectOption('Gold')
  expect(await page.getByRole('textbox', { name: 'Address of your overlay' }).inputValue()).toBe(
    `${url}/overlay/Alex?gamemode=survival&mode=goal&goal=3&rarity=Gold`,
  )
  await page.getByRole('button', { name: 'Catch something' }).click()
  await page.locator('.scene').getByText('Goal reached!').waitFor()
  expect(complaints).toEqual([])
  expect(requests.filter((request) => /\/(events|demo)\b/.test(request))).toEqual([])
})
