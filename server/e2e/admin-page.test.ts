import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings, tabTo } from '../../scripts/test-support/page-access.ts'
import { openAdministration } from './admin-page.ts'
import { ADMIN, FISH, startServer } from './pages.ts'

const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const MIA = { username: 'mia', password: 'mia-password' } as const

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const status = (page: Page, text: string) => page.locator('.notice.done').getByText(text).waitFor()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

describe('the administrators’ page', () => {
  it('supports every task by keyboard alone', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    const { keyboard } = page
    const press = async (name: RegExp, key = 'Enter') => {
      await tabTo(page, name)
      await keyboard.press(key)
    }
    const confirm = async (text: string) => {
      await keyboard.type(text)
      await keyboard.press('Enter')
    }

    // After the login, the page opens the view in the address.
    await page.goto(`${url}/admin#players`)
    await keyboard.type(ADMIN.username)
    await tabTo(page, /^Password$/)
    await confirm('wrong')
    await page.getByText('The name or the password is wrong.').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await confirm(ADMIN.password)
    await heading(page, 'Players')
    expect(await focused(page)).toBe('Players')
    await page.getByRole('row', { name: /^Alex 4 1 / }).waitFor()

    // The page shows the secrets of a new player once, and offers a login file for the SDK and the command line.
    await press(/^New player$/)
    await confirm('-')
    await page.getByText('A name must be').waitFor()
    await keyboard.press('Backspace')
    await confirm('alex')
    await page.getByText('A player of this name exists already.').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await confirm('Bea')
    await page.getByText('Save them now').waitFor()
    const [password = '', fernetKey = '', apiKey = ''] = await page.locator('.secrets code').allTextContents()
    await keyboard.press('Escape')
    await keyboard.press('Escape')
    expect(await page.locator('.secrets code').count()).toBe(3)
    const download = page.waitForEvent('download')
    await press(/^Download login file$/)
    expect((await download).suggestedFilename()).toBe('bea.json')
    const chunks = await (await (await download).createReadStream()).toArray()
    const loginFile = Buffer.concat(chunks).toString()
    expect(JSON.parse(loginFile)).toEqual({ version: 1, service: url, name: 'Bea', password, fernetKey, apiKey })
    await press(/^I have saved them$/)
    await heading(page, 'Bea')
    await expect.poll(() => focused(page)).toBe('Bea')
    expect(await page.content()).not.toContain(fernetKey)
    await status(page, 'Created Bea.')
    const home = await mkdtemp(join(tmpdir(), 'fish-home-'))
    onTestFinished(() => rm(home, { recursive: true }))
    const env = { PATH: process.env.PATH, HOME: home, FISH_SECRET_STORE: 'file' }
    await writeFile(join(home, 'bea.json'), loginFile)
    await promisify(execFile)(process.execPath, [CLI, 'login', '--from', join(home, 'bea.json')], { env })
    const whoami = await promisify(execFile)(process.execPath, [CLI, 'whoami', '--json'], { env })
    expect(JSON.parse(whoami.stdout)).toMatchObject({ user: 'Bea', accepted: true })

    // The administrator replaces each secret of the player, and enters the admin password to read the Fernet key.
    for (const what of ['password', 'Fernet key', 'API key']) {
      await press(new RegExp(`^Replace ${what}$`))
      await press(new RegExp(`^Replace the ${what}$`))
      await page.locator('.secrets code').waitFor()
      expect(await page.locator('.secrets code').textContent()).not.toBe(fernetKey)
      await press(/^I have saved them$/)
      await status(page, `Replaced the ${what} of Bea.`)
    }
    await press(/^Show Fernet key$/)
    await confirm('wrong')
    await page.getByText('The name or the password is wrong.').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await confirm(ADMIN.password)
    await page.locator('.secrets code').waitFor()
    await press(/^I have saved them$/)
    expect((await admin.audit.list({ limit: 1 })).entries).toMatchObject([{ action: 'key.read', subject: 'Bea' }])

    // The administrator adds, moves and removes catches.
    await press(/^Add a catch$/)
    await keyboard.type('Koi')
    await tabTo(page, /^Caught$/)
    await confirm('12')
    await page.getByText('Complete the date').waitFor()
    await page.getByLabel('Caught').fill('')
    await tabTo(page, /^Rarity$/)
    await keyboard.press('M')
    await press(/^Add$/)
    await status(page, 'Added Koi for Bea.')
    await page.getByRole('button', { name: 'Move Koi', exact: true }).waitFor()
    await press(/^Move Koi$/)
    await keyboard.press('F')
    await press(/^Move$/)
    await status(page, 'Moved Koi to factions.')
    await page.getByText('No fish in oneblock').waitFor()
    expect((await admin.fish.list('Bea', { gamemode: 'factions' })).fish).toMatchObject([
      { name: 'Koi', rarity: 'Mythical' },
    ])
    await tabTo(page, /^Show$/)
    await keyboard.press('C')
    await press(/^Add a catch$/)
    await confirm('King Crab')
    await status(page, 'Added King Crab for Bea.')
    await page.getByRole('button', { name: 'Remove King Crab' }).waitFor()
    await press(/^Remove King Crab$/)
    await status(page, 'Removed King Crab.')
    await page.getByText('No crabs in oneblock').waitFor()
    await press(/^Undo$/)
    await page.getByRole('button', { name: 'Remove King Crab' }).waitFor()
    await press(/^Remove King Crab$/)
    await page.getByText('No crabs in oneblock').waitFor()

    // A deletion is confirmed by typing the name of the player. The back button then shows that the player is unknown.
    await press(/^Delete player$/)
    await confirm('bea')
    await page.getByText('This is not Bea. Nothing was deleted.').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await confirm('Bea')
    await heading(page, 'Players')
    await status(page, 'Deleted Bea.')
    await expect.poll(() => page.getByRole('link', { name: 'Bea' }).count()).toBe(0)
    await page.evaluate(() => history.back())
    await heading(page, 'Bea')
    await page.getByText('No player has this name.').waitFor()
    await press(/^← All players$/)
    await tabTo(page, /^Find a player$/)
    await keyboard.type('zz')
    await page.getByText('contains “zz”').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type('LE')
    await page.getByRole('link', { name: 'Alex' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#players?search=LE')

    // The administrator creates and removes administrators.
    await press(/^Administrators$/)
    await press(/^New administrator$/)
    await keyboard.type(MIA.username)
    await tabTo(page, /^Password$/)
    await keyboard.type(MIA.password)
    await tabTo(page, /^Password again$/)
    await keyboard.type('another')
    await keyboard.press('Enter')
    await page.getByText('The passwords differ.').waitFor()
    await keyboard.press('ControlOrMeta+A')
    await confirm(MIA.password)
    await status(page, 'Created the admin mia.')
    await createAdminClient({ baseUrl: url, ...MIA }).login()
    await page.getByRole('button', { name: 'Remove mia' }).waitFor()
    await press(/^Remove mia$/)
    await confirm(MIA.username)
    await status(page, 'Removed mia.')

    // The administrator reads the audit log, the leaderboard and the overview.
    await press(/^Audit log$/)
    await tabTo(page, /^Action$/)
    await keyboard.type('deleted the pl')
    await press(/^Show$/)
    await page.getByText('1 entry').waitFor()
    expect(await page.locator('.audit').textContent()).toContain('root deleted the player Bea')
    await press(/^Action$/, 'Home')
    await press(/^Show$/)
    for (const line of [
      'root added 1 fish for Bea in oneblock',
      'root moved 1 fish of Bea from oneblock to factions',
      'root removed 1 crab of Bea in oneblock',
      'root removed the administrator mia',
      'root signed in',
    ]) {
      await page.locator('.audit').getByText(line).first().waitFor()
    }
    await press(/^Leaderboard$/)
    await page.getByRole('row', { name: /1 Alex 4/ }).waitFor()
    await press(/^Overview$/)
    await expect.poll(() => page.locator('.total').allTextContents()).toEqual(['Players1', 'Fish4', 'Crabs1'])
    await page.getByText('The service works').waitFor()
    await press(/^Refresh$/)
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await press(/^Sign out$/)
    await page.getByText('You have signed out.').waitFor()
    // The page does not wait for the response to the logout request, so poll the audit log.
    await expect
      .poll(async () => (await admin.audit.list({ limit: 1 })).entries)
      .toMatchObject([{ action: 'logout', actor: 'root' }])
  })

  it('offers only the actions that the role of the administrator allows', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    await admin.admins.create(MIA)
    const page = await browser.newPage()
    await openAdministration(page, url, '#players/Alex', MIA)
    await page.getByText('Only superadmins can delete players.').waitFor()
    // The page shows the gamemode of the latest catch.
    await page.locator('.record').first().waitFor()
    expect(page.url()).toBe(`${url}/admin#players/Alex?kind=fish&gamemode=earth`)
    expect(await page.getByRole('button', { name: 'Delete player' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Administrators' }).count()).toBe(0)
    await page.goto(`${url}/admin#administrators`)
    await page.getByText('You are signed in as admin.').waitFor()
    expect(await page.getByRole('button', { name: 'New administrator' }).count()).toBe(0)
  })

  it('prompts for the password when the session expires, and neither loses nor repeats the pending request', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    await openAdministration(page, url, '#players')
    const creations: number[] = []
    page.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url() === `${url}/admin/users`) {
        creations.push(response.status())
      }
    })
    const body = JSON.stringify({ error: 'Log in again.', code: 'invalid_session', requestId: 'r-1' })
    await page.route(
      `${url}/admin/users`,
      (route) => route.fulfill({ status: 401, contentType: 'application/json', body }),
      {
        times: 1,
      },
    )
    await page.getByRole('button', { name: 'New player' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Bea')
    await page.getByRole('button', { name: 'Create', exact: true }).dblclick()
    const again = page.getByRole('dialog', { name: 'Your session has expired' })
    await again.waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Bea')
    await again.getByLabel('Password').fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Secrets of Bea' }).waitFor()
    expect(creations).toEqual([401, 201])
    expect((await admin.users.list({ search: 'Bea' })).users).toHaveLength(1)
  })

  it('replaces the own password and the password of another administrator', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000' })
    await admin.admins.create(MIA)
    const page = await browser.newPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await openAdministration(page, url, '#administrators')
    await page.getByRole('button', { name: 'New password for mia' }).click()
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    const password = (await page.locator('dialog code').textContent()) ?? ''
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await createAdminClient({ baseUrl: url, username: MIA.username, password }).login()

    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Your password', { exact: true }).fill('wrong-password')
    await page.getByLabel('New password', { exact: true }).fill('another-password')
    await page.getByLabel('New password again').fill('another-password')
    await page.keyboard.press('Enter')
    await page.getByText('The name or the password is wrong.').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByLabel('Your password', { exact: true }).fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await status(page, 'Your password is changed.')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByLabel('Password', { exact: true }).fill('another-password')
    await page.keyboard.press('Enter')
    await page.locator('.total').first().waitFor()
  })

  it('moves each catch once and preserves the time of the catch, even if the response is lost', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_RATE_LIMIT: '1000', FISH_GAMEMODES: 'earth,boxsmp' })
    const page = await browser.newPage()
    await openAdministration(page, url, '#players/Alex?gamemode=earth')
    const moves = '**/admin/users/Alex/fish/*/move?gamemode=earth'
    let isLost = false
    await page.route(moves, async (route) => {
      if (isLost) return route.continue()
      isLost = true
      await route.fetch()
      return route.abort('connectionreset')
    })
    await page.getByRole('button', { name: /^Move Salmon/ }).click()
    await page.getByLabel('To gamemode').selectOption('boxsmp')
    await page.getByRole('button', { name: 'Move', exact: true }).dblclick()
    await page.getByText('No fish in earth').waitFor()
    expect(isLost).toBe(true)
    const moved = await admin.fish.list('Alex', { gamemode: 'boxsmp' })
    expect(moved.fish.map(({ name, rarity, caughtAt }) => ({ name, rarity, caughtAt }))).toEqual(FISH)
    expect((await admin.fish.list('Alex', { gamemode: 'earth' })).fish).toEqual([])
  })

  it('reports server errors, unknown outcomes, and the time until the next allowed login', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    await openAdministration(page, url, '#players')
    await page.route(`${url}/admin/users`, (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'New player' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Bea')
    await page.keyboard.press('Enter')
    await page.getByText('It is unknown whether this was done').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('its secrets are lost')
    await page.keyboard.press('Escape')

    const failed = { error: 'The storage failed.', code: 'storage_error', requestId: 'abc-1' }
    await page.route(`${url}/admin/stats`, (route) =>
      route.fulfill({
        status: 500,
        headers: { 'content-type': 'application/json', 'x-request-id': failed.requestId },
        body: JSON.stringify(failed),
      }),
    )
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('alert').getByText('abc-1').waitFor()
    await page.unroute(`${url}/admin/stats`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.total').first().waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Name').fill(ADMIN.username)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await fetch(`${url}/admin/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
      })
    }
    await page.getByLabel('Name').fill('nobody')
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('Too many failed logins from your network.').waitFor()
    expect(await page.locator('.countdown').textContent()).toMatch(/^in [45]:\d\d$/)
  })

  it('has no accessibility findings and no truncated text in the light scheme, in the dark scheme and on a phone', async ({
    skip,
  }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer({ FISH_RATE_LIMIT: '1000' })
    const page = await browser.newPage()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const check = async (view: string) => {
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [1440, 'dark'],
        [390, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        expect([view, width, colorScheme, await accessibilityFindings(page)]).toEqual([view, width, colorScheme, []])
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([view, width, overflow]).toEqual([view, width, 0])
      }
    }
    await page.goto(`${url}/admin`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').first().waitFor()
    await check('sign in')
    await openAdministration(page, url)
    const views: readonly (readonly [fragment: string, ready: string])[] = [
      ['#overview', 'main:has(.bars) .facts'],
      ['#players', 'table'],
      ['#leaderboard', 'table'],
      ['#audit', '.audit'],
      ['#administrators', 'table'],
      ['#players/Alex?gamemode=earth', '.record'],
    ]
    for (const [fragment, ready] of views) {
      await page.goto(`${url}/admin${fragment}`)
      await page.locator(ready).first().waitFor()
      await check(fragment)
    }
    for (const name of [/^Move Salmon/, /^Delete player/, /^Add a catch/]) {
      await page.getByRole('button', { name }).click()
      await check(String(name))
      await page.keyboard.press('Escape')
    }
    await page.getByRole('button', { name: 'Replace API key' }).click()
    await page.getByRole('button', { name: 'Replace the API key' }).click()
    await page.getByText('Save them now').waitFor()
    await check('secrets')
  })
})
