import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { leaveUndrawn } from '../../scripts/test-support/leave-undrawn.ts'
import { ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

/** Requests for the data of a player. */
const DATA = /\/(get\/(?!species)|demo\/|status|events)\b/

/** Lists the visible texts of a page that are too pale for white paper: their contrast is below 4.5 (WCAG 1.4.3). */
function paleTexts(): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode
    if (!parentElement?.checkVisibility({ visibilityProperty: true }) || textContent?.trim() === '') continue
    const { color, fill } = getComputedStyle(parentElement)
    const channels =
      (parentElement instanceof SVGElement ? fill : color)
        .match(/[\d.]+/g)
        ?.slice(0, 3)
        .map(Number) ?? []
    const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
      const part = channel / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    const contrast = 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    if (contrast < 4.5) texts.push(`${parentElement.className}: ${textContent}`)
  }
  return texts
}

describe('the pages in a real browser', () => {
  it('show the catches of a player without a further request, without errors or requests to other hosts', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(url + ALEX)
    expect(await page.title()).toBe('Alex · Fish and Crab Collection')
    await page.getByRole('heading', { name: 'Alex', level: 1 }).waitFor()
    await expect.poll(() => page.locator('.counts').textContent()).toBe('4 fish1 crab3 species4 days, longest streak')
    expect(await page.locator('.display-name').allTextContents()).toEqual(['Koi', 'Salmon', 'Salmon'])
    const cards = page.locator('.card')
    expect(await cards.count()).toBe(3)
    expect(await cards.nth(1).textContent()).toMatch(/^×3 caughtSalmonGold: 2Bronze: 1First .*2026$/)
    expect(await page.locator('.milestones strong').allTextContents()).toEqual([
      'First Mythical',
      'Best day: 2 catches',
      'First catch',
      'First Gold',
    ])
    await page.locator('.history svg').waitFor()
    expect(await page.locator('.history svg').getAttribute('aria-label')).toMatch(/^5 catches by (week|month), from/)
    const levels = await page.locator('.history .level text').allTextContents()
    expect(levels[0]).toBe('0')
    expect(levels.map(Number).filter((level) => !Number.isInteger(level))).toEqual([])
    expect((await page.locator('.history thead th').allTextContents())[1]).toBe('Catches')
    expect(await page.locator('.history .period title').first().textContent()).toMatch(/ 2026: [1-5]$/)
    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('show the collection of a player in a browser without JavaScript', async ({ skip }) => {
    const browser = await startBrowser(skip, { javaScriptEnabled: false })
    const { url } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
    const page = await browser.newPage()
    await page.goto(url + ALEX)
    expect(await page.locator('h1').textContent()).toBe('Alex')
    expect(await page.locator('.card-name').allTextContents()).toEqual(['Koi', 'Salmon', 'crab'])
    expect(await page.locator('.counts').textContent()).toBe('4 fish1 crab3 species4 days, longest streak')
    expect(await page.locator('.placeholder').evaluateAll((all) => all.some((one) => one.checkVisibility()))).toBe(
      false,
    )
    await page.goto(`${url}/leaderboard`)
    expect(await page.locator('.leader-name a').allTextContents()).toEqual(['Alex'])
    await page.getByRole('link', { name: 'Mythical' }).click()
    expect([page.url(), await page.locator('.leader strong').textContent()]).toEqual([`${url}/leaderboard?by=7`, '1'])
  })

  it('take over what the server drew without replacing any of it, whatever the names contain', async ({ skip }) => {
    const browser = await startBrowser(skip, { timezoneId: 'UTC', locale: 'en-GB' })
    const { url, admin } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
    const hostile = ['</script><script>', '<!--<script', '\u2028\u202e\u200b', '&amp;&lt;', '"\'`', '{{title}}', '$&$1']
    const fish = hostile.map((name) => ({ name, rarity: 'Mythical' as const }))
    await admin.fish.add('Alex', fish, { gamemode: 'survival' })
    const monthPath = `/@Alex/${new Date().toISOString().slice(0, 7)}`
    await admin.users.create({ name: 'Ben' })
    await admin.fish.add('Ben', fish.slice(2), { gamemode: 'earth' })
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.addInitScript(() => {
      document.addEventListener('readystatechange', () => {
        if (document.readyState !== 'interactive') return
        const leaves = [...document.querySelectorAll('#app *')].filter(({ children }) => children.length === 0)
        Object.assign(globalThis, { drawn: leaves.map((leaf) => [leaf, leaf.textContent]) })
      })
    })
    for (const [path, ready] of [
      ['/@Alex', '.live-text'],
      ['/@Alex?gamemode=survival&view=table', '.live-text'],
      ['/@Empty', '.live-text'],
      ['/@Alex/vs/@Ben', '.versus'],
      [monthPath, '.month-species'],
      ['/leaderboard', '.leaders'],
      ['/', '.leaders'],
      ['/demo', '.history'],
      ['/@Alex/vs/@alex', '.empty'],
      ['/@Nobody', '.empty'],
    ] as const) {
      if (path === '/@Empty') await admin.users.create({ name: 'Empty' })
      await page.goto(url + path)
      await page.locator(ready).waitFor()
      const { count, changed } = await page.evaluate(() => {
        const { drawn } = globalThis as unknown as { readonly drawn: readonly (readonly [Element, string])[] }
        const isChanged = ([leaf, text]: (typeof drawn)[number]) => !leaf.isConnected || leaf.textContent !== text
        return { count: drawn.length, changed: drawn.filter(isChanged).map(([leaf]) => leaf.outerHTML) }
      })
      expect(count).toBeGreaterThan(15)
      // The charts replace their placeholder.
      expect([path, changed.filter((html) => !html.includes('placeholder'))]).toEqual([path, []])
    }
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
  })

  it('begin with their title and a note in a browser without JavaScript if they are not drawn', async ({ skip }) => {
    const browser = await startBrowser(skip, { javaScriptEnabled: false })
    const { url } = await startServer()
    const page = await browser.newPage()
    for (const [path, title, text] of [
      ['/overlay', 'Stream overlay · Fish and Crab Collection', 'Show what you catch on your stream.'],
      ['/admin', 'Administration · Fish and Crab Collection', 'For administrators of this service.'],
    ] as const) {
      await page.goto(url + path)
      const [top, note, bottom] = await page.evaluate(() => {
        for (const animation of document.getAnimations()) animation.finish()
        const element = document.elementFromPoint(24, 28)
        const whole = element?.closest('.unscripted')
        return [element?.textContent?.trim(), whole?.textContent, whole?.getBoundingClientRect().bottom] as const
      })
      expect([path, top]).toEqual([path, title])
      expect(note).toContain(text)
      expect(note).toContain('This page needs JavaScript.')
      expect(bottom).toBeLessThan(300)
    }
  })

  it('store the leaderboard in the address, and show the place of the player of this device below it', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1', FISH_ADMIN_RATE_LIMIT: '1000' })
    for (let at = 0; at < 51; at += 1) {
      await admin.users.create({ name: `Crabber${at}` })
      await admin.crabs.add(`Crabber${at}`, [{}, {}], { gamemode: 'earth' })
    }
    const page = await browser.newPage()
    await page.goto(url + ALEX)
    await page.getByRole('button', { name: 'This is me' }).click()
    await page.goto(`${url}/leaderboard`)
    const own = page.locator('.leader.own')
    await own.waitFor()
    expect(await own.textContent()).toMatch(/^Place 1AlexYou/)
    await page.getByRole('link', { name: 'Crabs' }).click()
    await page.waitForURL(`${url}/leaderboard?kind=crab`)
    await own.waitFor()
    expect(await own.textContent()).toBe(`${'Place 52AlexYou1 behind Crabber9'.replace('Crabber9', 'Crabber8')}1`)
    expect(await page.locator('.leader').count()).toBe(51)
    await page.reload()
    await own.waitFor()
    expect(await page.getByRole('link', { name: 'Crabs' }).getAttribute('aria-current')).toBe('page')
  })

  it('compare two players, and store the part of the comparison in the address', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    await admin.users.create({ name: 'Ben' })
    await admin.fish.add('Ben', [{ name: 'Eel', rarity: 'Silver' }], { gamemode: 'earth' })
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    const names = () => page.locator('.versus-name').allTextContents()
    await page.goto(`${url}/@Alex/vs/@Ben`)
    expect(await names()).toEqual(['Koi', 'Salmon', 'Eel', 'crab'])
    await page.getByRole('link', { name: 'Only Ben' }).click()
    expect([await names(), page.url()]).toEqual([['Eel'], `${url}/@Alex/vs/@Ben?show=other`])
    await page.reload()
    expect(await names()).toEqual(['Eel'])
    await page.getByRole('link', { name: 'Both' }).click()
    expect(await page.getByText('They have no species in common yet.').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('say that the rate limit ends, and load again by themselves then', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '1', FISH_RATE_WINDOW: '8', FISH_PUBLIC_LEADERBOARD: '1' })
    await fetch(`${url}/status`)
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(`${url}/leaderboard`)
    await page.getByText('Too many requests').waitFor()
    expect(await page.locator('.countdown').textContent()).toMatch(/^in 0:0\d$/)
    await page.locator('.leader').waitFor()
    expect(complaints).toEqual([])
  })

  it('offer the gamemodes of the service, and accept the names of gamemodes in any letter case', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_GAMEMODES: 'earth,survival_with_more,boxsmp' })
    await admin.fish.add('Alex', { name: 'Box Carp', rarity: 'Gold' }, { gamemode: 'boxsmp' })
    const page = await browser.newPage()
    await page.goto(`${url}/@Alex?gamemode=BoxSMP`)
    await page.locator('.card').getByText('Box Carp').waitFor()
    expect(await page.getByRole('navigation', { name: 'Gamemode' }).getByRole('link').allTextContents()).toEqual([
      'All 6',
      'earth 5',
      'boxsmp 1',
    ])
    await page.setViewportSize({ width: 200, height: 600 })
    await page.reload()
    await page.locator('.card').getByText('Box Carp').waitFor()
    const { x = 0, width = 0 } = (await page.getByRole('link', { name: 'boxsmp 1', exact: true }).boundingBox()) ?? {}
    // Chromium scrolls by whole pixels, so round the edge down.
    expect(Math.floor(x + width)).toBeLessThanOrEqual(200)
    await page.goto(`${url}/@Alex?gamemode=survival`)
    await expect.poll(() => page.locator('.card').count()).toBe(4)
    await page.goto(`${url}/overlay/Alex?gamemode=boxsmp&show=total`)
    await expect.poll(() => page.locator('.all').textContent()).toBe('1 fish0 crabs1 species')
    await page.goto(`${url}/overlay`)
    await page.getByLabel('boxsmp').check()
    await page.getByLabel('Player').fill('Alex')
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Address of your overlay' }).inputValue())
      .toBe(`${url}/overlay/Alex?gamemode=boxsmp`)
  })

  it('open a player by name from the home page, explain an invalid name, and support the back button', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(url)
    const name = page.getByLabel('Player')
    await name.fill('no name')
    await name.press('Enter')
    expect(await page.getByRole('alert').textContent()).toMatch(/^A name must be 1 to 32 characters/)
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
    await name.fill(' alex ')
    await name.press('Enter')
    // The page shows the name in the letter case of the player's creation.
    await page.getByRole('heading', { name: 'Alex', level: 1 }).waitFor()
    await page.locator('.card').first().waitFor()
    expect(page.url()).toBe(`${url}/@alex`)
    const tabs = page.getByRole('navigation', { name: 'Gamemode' }).getByRole('link')
    expect(await tabs.allTextContents()).toEqual(['All 5', 'earth 5'])
    await tabs.getByText('earth').click()
    expect(page.url()).toBe(`${url}/@alex?gamemode=earth`)
    await page.goBack()
    expect(page.url()).toBe(`${url}/@alex`)
    expect(await tabs.first().getAttribute('aria-current')).toBe('page')
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
    // The home page sends no request to list recent players.
    await page.goto(url)
    await page.getByRole('link', { name: 'Alex' }).click()
    await page.getByRole('heading', { name: 'Alex', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  it('show the species, and a notice that the charts could not be loaded', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.route('**/assets/charts*', (route) => route.abort('connectionrefused'))
    await page.goto(url + ALEX)
    await page.getByText('The charts could not be loaded. Reload the page to try again.').waitFor()
    expect(await page.locator('.card').count()).toBe(3)
  })

  it('show the demo collection', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(url)
    await page.getByRole('link', { name: 'demo collection' }).click()
    await page.getByRole('heading', { name: 'Demo collection' }).waitFor()
    await page.locator('.card').first().waitFor()
    const all = await page.locator('.card').count()
    await page.getByLabel('Show', { exact: true }).selectOption('Mythical')
    const mythical = await page.locator('.card').count()
    expect(mythical).toBeGreaterThan(0)
    expect(mythical).toBeLessThan(all)
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('search, filter and sort the species of a player', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.goto(url + ALEX)
    await page.locator('.card').first().waitFor()
    const names = () => page.locator('.card-name').allTextContents()
    expect(await names()).toEqual(['Koi', 'Salmon', 'crab'])
    await page.getByLabel('Sort by').selectOption('Name')
    expect(await names()).toEqual(['crab', 'Koi', 'Salmon'])
    await page.getByLabel('Sort by').selectOption('Caught last')
    expect((await names())[0]).toBe('Koi')
    await page.getByRole('searchbox').fill('SAL')
    expect(await names()).toEqual(['Salmon'])
    await page.getByLabel('Show', { exact: true }).selectOption('Gold')
    expect(await page.locator('.found').textContent()).toBe('1 of 3')
    await page.getByLabel('Show', { exact: true }).selectOption('All species')
    await page.getByRole('searchbox').fill('nothing')
    await page.getByText('Nothing matches.').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByLabel('Show', { exact: true }).selectOption('Crabs')
    expect(await names()).toEqual(['crab'])
    await page.getByRole('button', { name: 'Table' }).click()
    expect(await page.locator('.species-table tbody tr').count()).toBe(1)
    // The address contains the whole view, so a reload restores the view.
    expect(page.url()).toBe(`${url}${ALEX}&only=crab&sort=last&view=table`)
    await page.reload()
    await expect.poll(() => page.locator('.species-table tbody tr').count()).toBe(1)
  })

  it('report an unknown player and an invalid name', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.goto(`${url}/@Nobody`)
    await page.getByText('No player “Nobody” on this server.').waitFor()
    const { requests } = watchPage(page, READ_TO_THE_END)
    const response = await page.goto(`${url}/@-Nobody`)
    expect(response?.status()).toBe(404)
    await page.getByText('No player can have this name.').waitFor()
    expect(requests.filter((request) => DATA.test(request))).toEqual([])
  })

  it('show new catches after the next poll, and update the totals, the cards and the chart', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await browser.newPage()
    await page.clock.install()
    await page.goto(url + ALEX)
    await page.locator('.history svg').waitFor()
    await admin.fish.add('Alex', [{ name: 'Pike', rarity: 'Platinum' }], { gamemode: 'earth' })
    await page.clock.fastForward(61_000)
    await page.getByText('New: Pike (Platinum)').waitFor()
    expect(await page.locator('.card', { hasText: 'Pike' }).textContent()).toContain('New')
    expect(await page.locator('.counts').textContent()).toContain('5 fish1 crab4 species')
    expect(await page.locator('.history svg').getAttribute('aria-label')).toMatch(/^6 catches/)
  })

  it('open an event stream after ten seconds, and show new catches immediately without another request', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    await page.clock.install()
    await page.goto(url + ALEX)
    await page.locator('.history svg').waitFor()
    const opened = page.waitForResponse(/\/events\?/)
    await page.clock.fastForward(11_000)
    await opened
    await page.clock.resume()
    const pike = { name: 'Pike', rarity: 'Platinum' } as const
    await admin.fish.add('Alex', [pike, pike, { name: 'Salmon', rarity: 'Gold' }], { gamemode: 'earth' })
    await page.getByText('New: Pike (Platinum) ×2 and 1 more').waitFor()
    expect(await page.locator('.counts').textContent()).toContain('7 fish1 crab4 species')
    expect(await page.locator('.card', { hasText: 'Salmon' }).textContent()).toContain('Gold: 3')
    expect(await page.locator('.history svg').getAttribute('aria-label')).toMatch(/^8 catches/)
    // The page sent one request for the stream.
    expect(requests.filter((request) => DATA.test(request))).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('show a countdown when the rate limit is exhausted, and load the player when the countdown ends', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '3', FISH_RATE_WINDOW: '6' })
    const page = await browser.newPage()
    for (let request = 0; request < 3; request += 1) await fetch(`${url}/status`)
    await page.goto(url + ALEX)
    await page.getByText('Too many requests').waitFor()
    expect(await page.locator('.countdown').textContent()).toMatch(/^in 0:0[1-7]$/)
    await page.locator('.card').first().waitFor()
    expect(await page.getByText('Too many requests').count()).toBe(0)
  })

  it('report that the browser is offline, still show the collection, and update when the network returns', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer()
    const page = await browser.newPage()
    await page.goto(url + ALEX)
    await page.locator('.card').first().waitFor()
    await browser.setOffline(true)
    await page.locator('.notice', { hasText: 'Offline' }).waitFor()
    expect(await page.locator('.notice').textContent()).toContain('This is the collection as of')
    expect(await page.locator('.card').count()).toBe(3)
    await admin.crabs.add('Alex', [{ name: 'King Crab' }], { gamemode: 'earth' })
    await browser.setOffline(false)
    await page.getByText('New: King Crab').waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('announce the next attempt if the server does not respond, and reconnect immediately on "Try now"', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.clock.install()
    await leaveUndrawn(page)
    await page.route(DATA, (route) => route.abort('connectionrefused'))
    await page.goto(url + ALEX)
    await page.getByText('Reconnecting').waitFor()
    expect(await page.locator('.notice').textContent()).toMatch(/Trying again in 0:0[12]/)
    await page.unroute(DATA)
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.locator('.card').first().waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('report within a minute that the server no longer responds, even if an event stream was open', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, end } = await startServer()
    const page = await browser.newPage()
    await page.clock.install()
    await page.goto(url + ALEX)
    await page.locator('.card').first().waitFor()
    const opened = page.waitForResponse(/\/events/)
    await page.clock.runFor(10_000)
    await opened
    await end('SIGTERM')
    let passed = 0
    await expect
      .poll(async () => {
        await page.clock.runFor(1000)
        passed += 1
        return page.locator('.notice', { hasText: 'Reconnecting' }).count()
      })
      .toBe(1)
    expect(passed).toBeLessThan(60)
    expect(await page.locator('.notice').textContent()).toContain('This is the collection as of')
  })

  it('are printed without controls and with dark text on paper, even if the screen uses the dark scheme', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
    await admin.users.create({ name: 'Ben' })
    const page = await browser.newPage()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const path of [
      ALEX,
      `${ALEX}&view=table`,
      '/',
      '/leaderboard',
      '/@Alex/vs/@Alex',
      '/@Alex/vs/@Ben',
      '/@Nobody',
    ]) {
      await page.goto(url + path)
      await page.locator('h1').waitFor()
      await expect.poll(() => page.locator('.placeholder').count()).toBe(0)
      expect(
        await page.locator('button, input, select, summary, .button, footer').filter({ visible: true }).count(),
      ).toBe(0)
      expect({ path, pale: await page.evaluate(paleTexts) }).toEqual({ path, pale: [] })
    }
  })

  it('can be read with forced colours', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' })
    for (const path of [ALEX, '/']) {
      await page.goto(url + path)
      await page.locator('.card').first().waitFor()
      expect({ path, pale: await page.evaluate(paleTexts) }).toEqual({ path, pale: [] })
      // Browsers force colours, but show the pictures of a background.
      const pictures = await page.evaluate(() =>
        [...document.querySelectorAll('main :not(svg *)')].flatMap((element) =>
          ['', '::before', '::after'].flatMap((pseudo) => {
            const { backgroundImage, display, content } = getComputedStyle(element, pseudo)
            const isDrawn = display !== 'none' && (pseudo === '' || content !== 'none')
            return isDrawn && backgroundImage !== 'none' ? [element.className + pseudo] : []
          }),
        ),
      )
      expect(pictures).toEqual([])
    }
    await page.goto(url + ALEX)
    const letters = await page
      .locator('.card')
      .first()
      .locator('.pip')
      .evaluateAll((pips) => pips.map((pip) => getComputedStyle(pip, '::before').content))
    expect(letters).toEqual(['"M"', '"P"', '"D"', '"G"', '"S"', '"B"', '"U"'])
  })

  it('show the request id of a server error', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const body = JSON.stringify({ error: 'The storage failed.', code: 'storage_error', requestId: 'abc-1' })
    const headers = { 'content-type': 'application/json', 'x-request-id': 'abc-1' }
    await leaveUndrawn(page)
    await page.route(DATA, (route) => route.fulfill({ status: 500, headers, body }))
    await page.goto(url + ALEX)
    await page.getByText('The server has a problem').waitFor()
    expect(await page.locator('.notice code').textContent()).toBe('abc-1')
  })

  it('are disabled by FISH_WEB=off', async () => {
    const { url } = await startServer({ FISH_WEB: 'off' })
    for (const path of ['/', '/@Alex']) {
      const response = await fetch(url + path)
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
      expect(response.headers.get('x-ratelimit-remaining')).not.toBeNull()
    }
  })
})
