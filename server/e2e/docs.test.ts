import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HEADERS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings, tabTo } from '../../scripts/test-support/page-access.ts'
import { createUser, type ServerProcess, startServerProcess } from '../../scripts/test-support/server-process.ts'
import { OPERATIONS } from '../../sdk/src/contract/operations.ts'
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

const operation = (page: Page, name: string) => page.locator(`.opblock[id$="-${name}"]`)

async function openReference(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/docs`)
  await page.waitForSelector('.opblock')
}

/** Opens the "Try it out" form of an operation. */
async function tryOut(page: Page, name: string) {
  const block = operation(page, name)
  await block.locator('.opblock-summary-control').click()
  await block.locator('.try-out__btn').click()
  const parameter = (of: string) => block.locator(`[data-param-name="${of}"] :is(input, select)`)
  const execute = async () => {
    await block.locator('.execute').click()
    const row = block.locator('.live-responses-table .response').first()
    await row.waitFor()
    const text = await row.locator('.response-col_description pre').first().textContent()
    return { status: Number((await row.locator('.response-col_status').textContent())?.trim()), text: String(text) }
  }
  return { block, parameter, execute }
}

describe('the API reference in a real browser', () => {
  it('lists every operation without errors, and sends requests only to its own server', async ({ skip }) => {
    const browser = await startBrowser(skip)
    // The leaderboard operation exists only if the leaderboard is public.
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
    const operations = Object.entries(ROUTES).filter(
      ([name]) => !/^(text\/html|image\/)/.test(OPERATIONS[name as RouteName].success.type ?? ''),
    )
    const expected = operations.map(([, { method, path }]) => [method, path.replace(/:(\w+)/g, '{$1}')])
    expect(shown.sort()).toEqual(expected.sort())

    // The page sends a request for one operation and shows the server's response.
    const block = page.locator('#operations-public-demoCrab')
    await block.locator('.opblock-summary-control').click()
    await block.locator('.try-out__btn').click()
    await block.locator('.execute').click()
    const response = block.locator('.live-responses-table .response-col_description pre').first()
    await response.waitFor()
    expect(await response.textContent()).toContain('Hermit Crab')

    // The content security policy must also permit an operation of each tag and the authorization dialog.
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

  it('can post and read catches, and shows players their own key', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const alex = await createUser(url, 'Alex')
    const page = await browser.newPage()
    const { requests, complaints } = watchPage(page)
    await openReference(page, url)

    const post = await tryOut(page, 'postFish')
    await post.parameter('name').fill('Alex')
    await post.parameter(HEADERS.gamemode).selectOption('earth')
    const token = await createFernet(alex.fernetKey).encrypt(JSON.stringify({ fish: 'Salmon', rarity: 3 }))
    const file = { name: 'token', mimeType: 'application/octet-stream', buffer: Buffer.from(token) }
    await post.block.locator('input[type=file]').setInputFiles(file)
    expect(await post.execute()).toMatchObject({
      status: 201,
      text: expect.stringContaining('Fish saved for user Alex'),
    })

    const get = await tryOut(page, 'getFish')
    await get.parameter('name').fill('Alex')
    await get.parameter('gamemode').selectOption('earth')
    expect(await get.execute()).toMatchObject({ status: 200, text: expect.stringContaining('"Salmon"') })

    const key = await tryOut(page, 'getUserKey')
    await key.block.locator('.authorization__btn').click()
    await page.locator('#auth-basic-username').fill('Alex')
    await page.locator('#auth-basic-password').fill(alex.password)
    await page.locator('.modal-btn.authorize').click()
    await page.locator('.close-modal').click()
    expect(await key.execute()).toMatchObject({ status: 200, text: expect.stringContaining(alex.fernetKey) })

    expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
    expect(complaints).toEqual([])
  })

  it.for([
    { width: 390, colorScheme: 'dark' },
    { width: 1440, colorScheme: 'light' },
  ] as const)(
    'has no problems that axe finds, in any state, at $width px',
    async ({ width, colorScheme }, { skip }) => {
      const browser = await startBrowser(skip, { viewport: { width, height: 900 }, colorScheme })
      const { url } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
      const page = await browser.newPage()
      await openReference(page, url)
      expect(await accessibilityFindings(page)).toEqual([])

      const demo = await tryOut(page, 'demoFish')
      await demo.execute()
      const post = await tryOut(page, 'postFish')
      await post.block.locator('input[type=file]').waitFor()
      await tryOut(page, 'createUser')
      await post.block.locator('.tab button').nth(1).click()
      await page.locator('.json-schema-2020-12-accordion').first().waitFor()
      expect(await accessibilityFindings(page)).toEqual([])

      await page.locator('.btn.authorize').first().click()
      await page.locator('.modal-ux input').first().waitFor()
      expect(await accessibilityFindings(page)).toEqual([])
    },
  )

  it('opens an operation, sends its request and closes the authorization dialog with the keyboard alone', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await openReference(page, url)
    await tabTo(page, /^Authorize$/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Authorization' }).locator('input').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await tabTo(page, /^GET.*demo.*fish/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^Try it out/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^Execute$/)
    await page.keyboard.press('Enter')
    await operation(page, 'demoFish').locator('.live-responses-table .response').first().waitFor()
  })

  it('shows the 401 response to a request without credentials, and the browser does not prompt for a password', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    await createUser(url, 'Alex')
    const page = await browser.newPage()
    await openReference(page, url)
    const key = await tryOut(page, 'getUserKey')
    await key.parameter('name').fill('Alex')
    expect(await key.execute()).toMatchObject({ status: 401 })
  })

  it('can send the sample bodies of admin requests, and all these requests succeed', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    const login = await fetch(`${url}/admin/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: 'root-password' }),
    })
    const { token } = (await login.json()) as { token: string }
    await openReference(page, url)
    await page.locator('.scheme-container .authorize').click()
    const session = page.locator('.auth-container').filter({ hasText: 'Bearer' })
    await session.locator('input').fill(token)
    await session.locator('.modal-btn.authorize').click()
    await page.locator('.close-modal').click()
    const statuses: Record<string, number> = {}
    for (const name of ['createUser', 'addUserFish', 'addUserCrab', 'createAdmin']) {
      const { parameter, execute } = await tryOut(page, name)
      if (name.startsWith('add')) {
        await parameter('name').fill('Alex')
        await parameter('gamemode').selectOption('earth')
      }
      statuses[name] = (await execute()).status
    }
    expect(statuses).toEqual({ createUser: 201, addUserFish: 201, addUserCrab: 201, createAdmin: 201 })
  })

  it('does not link to the pages if FISH_WEB=off disables them', async () => {
    const { url } = await startServer({ FISH_WEB: 'off' })
    expect(await (await fetch(`${url}/docs`)).text()).not.toContain('href="/"')
  })

  it('does not delay the exit of the server, even if a worker is running or a connection is open', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const server = await startServer({ FISH_LOG: 'json' })
    const page = await browser.newPage()
    await page.goto(`${server.url}/docs`)
    await page.waitForSelector('.opblock')
    expect(await server.end('SIGTERM')).toBe(0)
    const lines = server.log().trim().split('\n').slice(-2)
    const log = lines.map((line) => JSON.parse(line) as { msg: string; time: string })
    expect(log.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^stopping/), 'stopped'])
    // The times in the log show that the server stopped within the grace period, so it cut no connection.
    const [stopping = Number.NaN, stopped = Number.NaN] = log.map(({ time }) => Date.parse(time))
    expect(stopped - stopping).toBeLessThan(9000)
  })
})
