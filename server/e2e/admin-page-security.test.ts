import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { openAdministration } from './admin-page.ts'
import { ADMIN, ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { HOSTILE, watchAttacks, watchPage } from './watch-page.ts'

/** Serves a page from another origin, and returns the address of the page. */
async function startOtherSite(html: string): Promise<string> {
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html)
  })
  await new Promise<void>((resolve) => host.listen(0, 'localhost', resolve))
  onTestFinished(() => {
    host.closeAllConnections()
    host.close()
  })
  return `http://localhost:${(host.address() as AddressInfo).port}`
}

describe('the administrators’ page', () => {
  it('shows hostile names as text, sends no request to other hosts, and never violates its content security policy', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    for (const name of ['__proto__', 'constructor']) await admin.users.create({ name })
    await admin.admins.create({ username: 'toString', password: 'a-long-password' })
    for (const name of HOSTILE) await admin.fish.add('__proto__', { name, rarity: 'Gold' }, { gamemode: 'earth' })
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    const attacks = await watchAttacks(page)
    await openAdministration(page, url, '#players/__proto__?gamemode=earth')
    await expect.poll(() => page.locator('.record').count()).toBe(HOSTILE.length)
    expect((await page.locator('.record strong').allTextContents()).toReversed()).toEqual(HOSTILE)
    await page.getByRole('button', { name: /^Remove <script>/ }).click()
    await page.getByText('Removed <script>attack()</script>.').waitFor()

    // The page must show every field of a response as text, even hostile content.
    const entries = HOSTILE.map((text, index) => ({
      id: `${index}`,
      at: '2026-01-01T00:00:00.000Z',
      actor: text,
      action: 'user.create',
      subject: text,
      address: text,
      requestId: text,
    }))
    await page.route(`${url}/admin/audit?*`, (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify({ entries }) }),
    )
    await page.getByRole('link', { name: 'Audit log' }).click()
    await expect.poll(() => page.locator('.audit > li').count()).toBe(HOSTILE.length)
    await page.getByRole('link', { name: 'Administrators' }).click()
    await page.getByText('toString').waitFor()
    await page.getByRole('link', { name: 'Leaderboard' }).click()
    await page.getByRole('link', { name: '__proto__' }).waitFor()
    for (const text of HOSTILE) {
      for (const fragment of [
        `#players/${text}`,
        `#players?search=${encodeURIComponent(text.slice(0, 32))}`,
        `#${text}`,
      ]) {
        await page.goto(`${url}/admin${fragment}`)
        await page.locator('h1').waitFor()
      }
    }
    expect(await attacks()).toEqual([])
    expect(complaints).toEqual([])
    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
  })

  it('stores the session nowhere but in memory, so that a reload, a navigation or a logout ends the session', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page, READ_TO_THE_END)
    const tokens = new Set<string>()
    page.on('request', (request) => {
      const { authorization } = request.headers()
      if (authorization) tokens.add(authorization)
    })
    const cookies: string[] = []
    page.on('response', async (response) => {
      if ((await response.allHeaders())['set-cookie']) cookies.push(response.url())
    })
    await openAdministration(page, url, '#players')
    await page.getByRole('button', { name: 'New player' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Bea')
    await page.keyboard.press('Enter')
    await page.getByText('Save them now').waitFor()
    // The browser warns before a reload discards unsaved secrets.
    const asked: string[] = []
    page.once('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.evaluate(() => void setTimeout(() => location.reload()))
    await expect.poll(() => asked).toEqual(['beforeunload'])
    const secrets = await page.locator('.secrets code').allTextContents()
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('heading', { name: 'Bea' }).waitFor()
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    const secretTexts = [ADMIN.password, ...secrets, ...[...tokens].map((token) => token.replace('Bearer ', ''))]
    expect(secretTexts).toHaveLength(5)
    const kept = await page.evaluate(async () => ({
      local: localStorage.length,
      session: sessionStorage.length,
      databases: (await indexedDB.databases()).length,
      caches: isSecureContext ? (await caches.keys()).length : 0,
      cookies: document.cookie,
      name: window.name,
      state: JSON.stringify(history.state),
      html: document.documentElement.outerHTML,
      typed: [...document.querySelectorAll('input')].map(({ value }) => value).join(),
    }))
    expect(kept).toMatchObject({ local: 0, session: 0, databases: 0, caches: 0, cookies: '', name: '', state: 'null' })
    const seen = JSON.stringify([kept, requests, complaints, page.url()])
    for (const secret of secretTexts) expect(seen.includes(secret)).toBe(false)
    expect([await browser.cookies(), cookies]).toEqual([[], []])

    const isSignedOut = () => page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await isSignedOut()
    await openAdministration(page, url, '#players')
    await page.goto(`${url}/`)
    await page.goBack()
    await isSignedOut()
    await openAdministration(page, url, '#players')
    const [last = ''] = [...tokens].slice(-1)
    const ask = async () => (await fetch(`${url}/admin/me`, { headers: { authorization: last } })).status
    expect(await ask()).toBe(200)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isSignedOut()
    await expect.poll(ask).toBe(401)
  })

  it('sets no cookies, and prevents other sites from framing the page, scripting the page and forging requests', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const signedIn = await browser.newPage()
    await openAdministration(signedIn, url, '#players')
    const other = await startOtherSite(`
      <iframe src="${url}/admin"></iframe>
      <form method="post" enctype="text/plain" action="${url}/admin/users">
        <input name='{"name":"Eve","x":"' value='"}'>
        <button>Win</button>
      </form>`)
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.goto(other)
    await expect.poll(() => complaints.join()).toContain('frame-ancestors')
    expect(await page.frames()[1]?.locator('#app').count()).toBe(0)

    const refused = await page.evaluate(async (address) => {
      const send = (init: RequestInit) =>
        fetch(`${address}/admin/users`, { method: 'POST', credentials: 'include', ...init }).then(
          ({ type }) => type,
          () => 'refused',
        )
      const body = '{"name":"Eve"}'
      return [
        await send({ body, headers: { 'content-type': 'application/json' } }),
        await send({ body, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
      ]
    }, url)
    expect(refused).toEqual(['refused', 'opaque'])
    await page.evaluate((address) => {
      Object.assign(globalThis, { opened: open(`${address}/admin`) })
    }, url)
    // The page of another origin loses its reference when the new page has loaded.
    await expect.poll(() => page.evaluate(() => (globalThis as { opened?: Window }).opened?.closed)).toBe(true)
    const posted = page.waitForResponse(`${url}/admin/users`)
    await page.getByRole('button', { name: 'Win' }).click()
    const response = await posted
    expect([response.status(), (await response.allHeaders())['set-cookie']]).toEqual([401, undefined])
    expect((await admin.users.list({ search: 'Eve' })).users).toEqual([])
  })

  it('loads at most 80 KB, adds no files to the pages for players, and is not served if FISH_WEB is off', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const sizes = new Map<string, number>()
    page.on('response', async (response) => {
      const { responseHeadersSize, responseBodySize } = await response.request().sizes()
      sizes.set(new URL(response.url()).pathname, responseHeadersSize + responseBodySize)
    })
    await page.goto(`${url}/admin`)
    await page.getByLabel('Password').waitFor()
    await expect.poll(() => sizes.size).toBeGreaterThan(2)
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(80 * 1024)
    const own = [...sizes.keys()].filter((path) => /\/admin.*\.(js|css)$/.test(path))
    expect(own.length).toBeGreaterThan(0)
    sizes.clear()
    await page.goto(url + ALEX)
    await page.locator('.card').first().waitFor()
    expect([...sizes.keys()].filter((path) => own.includes(path))).toEqual([])

    const { url: without } = await startServer({ FISH_WEB: 'off' })
    const response = await fetch(`${without}/admin`)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  })
})
