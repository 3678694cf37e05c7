import { RARITIES } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings, tabTo } from '../../scripts/test-support/page-access.ts'
import { newPlayer, startApp } from './app-process.ts'

const WIDTHS = [390, 768, 1440]
const SCHEMES = ['light', 'dark'] as const

/** Checks the page in its current state at each width and in each scheme. */
async function checkPage(page: Page, state: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const view = [state, width, colorScheme]
      expect([...view, await accessibilityFindings(page)]).toEqual([...view, []])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([...view, overflow]).toEqual([...view, 0])
    }
  }
}

test('the page has no accessibility findings and no horizontal scrolling in any state, at any width, in the light and dark schemes', async ({
  skip,
}) => {
  const context = await startBrowser(skip)
  const { mock, home, loginFile, says, catches, sent } = await newPlayer()
  const app = startApp(home)
  const page = await context.newPage()
  await page.goto(await app.address())
  const file = page.locator('input[type=file]')
  await file.waitFor()
  await checkPage(page, 'login')
  await file.setInputFiles({ name: 'wrong.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
  await page.getByRole('alert').waitFor()
  await checkPage(page, 'wrong login file')
  await file.setInputFiles(loginFile())
  const done = page.getByRole('button', { name: 'Done' })
  await done.waitFor()
  await checkPage(page, 'logged in')
  await done.click()
  await checkPage(page, 'without games')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Collecting your catches').waitFor()
  const fish = RARITIES.map(({ catchWord, label }) => `${catchWord ?? ''} CATCH! You caught a ${label} Salmon.`.trim())
  const longest = 'X'.repeat(100)
  says(...fish, `NICE CATCH! You caught a ${longest}.`, 'FISHING ▶ You fished up a Crab!')
  await expect.poll(() => page.locator('.card').count()).toBe(RARITIES.length + 2)
  await page.getByText('· sending').waitFor({ state: 'hidden' })
  await expect.poll(() => sent().length).toBe(RARITIES.length + 1)
  await page.getByRole('button', { name: 'Copy overlay address' }).click()
  await page.locator('.copy-row').waitFor()
  await page.getByRole('button', { name: 'Old logs' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: /^Remove/ }).waitFor()
  await checkPage(page, 'running')
  await page.getByRole('button', { name: 'Yes' }).click()
  await page.getByLabel('Password').waitFor()
  await checkPage(page, 'password')
  await page.getByRole('button', { name: 'Cancel' }).click()
  const outage = mock.fail('reset', { times: Number.POSITIVE_INFINITY })
  catches('Eel')
  await page.getByText('1 catch is waiting').waitFor()
  await checkPage(page, 'waiting')
  outage.cancel()
  await page.getByText('1 catch is waiting').waitFor({ state: 'hidden' })
  const admin = { baseUrl: mock.origin, fetch: mock.fetch, username: 'root', password: 'root-password' }
  await createAdminClient(admin).users.reset('Alex', 'fernet')
  catches('Koi')
  await page.getByText('1 catch was rejected').waitFor()
  await checkPage(page, 'rejected')
  await page.getByRole('button', { name: 'Quit' }).click()
  await page.getByText('Fish Collection has ended').waitFor()
  await checkPage(page, 'ended')
})

/** Returns whether an element has the focus, and whether the player sees which one. */
function focusOf(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    const { top, bottom } = element.getBoundingClientRect()
    const { outlineStyle } = getComputedStyle(element)
    return {
      // The content gets the focus from a control that has disappeared. It is not a control.
      isKept: element !== document.body,
      isVisible: element.id === 'content' || (outlineStyle === 'solid' && bottom > 0 && top < innerHeight),
    }
  })
}

const KEPT = { isKept: true, isVisible: true }

test('the keyboard alone logs in, starts, undoes and quits, and the focus is always visible', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { server, home, user, joins, catches, sent } = await newPlayer()
  joins('earth')
  const app = startApp(home)
  const page = await context.newPage()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(await app.address())
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  const { keyboard } = page

  await tabTo(page, /^Address of the service$/)
  expect(await focusOf(page)).toEqual(KEPT)
  await keyboard.type(server.url)
  await keyboard.press('Tab')
  await keyboard.type(user.name)
  await keyboard.press('Tab')
  await keyboard.type(user.password)
  await keyboard.press('Tab')
  expect(await focusOf(page)).toEqual(KEPT)
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
  await expect.poll(() => focusOf(page)).toEqual(KEPT)

  await tabTo(page, /^Start$/)
  await keyboard.press('Space')
  await page.getByText('Collecting your catches').waitFor()
  expect(await focusOf(page)).toEqual(KEPT)
  catches('Salmon')
  await expect.poll(sent).toEqual(['Salmon'])

  await tabTo(page, /^Undo$/)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Remove/ }).waitFor()
  expect(await focusOf(page)).toEqual(KEPT)
  await tabTo(page, /^Yes$/)
  await keyboard.press('Enter')
  await page.getByLabel('Password').waitFor()
  expect(await focusOf(page)).toEqual(KEPT)
  await tabTo(page, /^Password/)
  await keyboard.type(user.password)
  await keyboard.press('Enter')
  await page.getByText('Removed 1 catch of Alex').first().waitFor()
  await page.getByLabel('Password').waitFor({ state: 'detached' })
  await expect.poll(() => focusOf(page)).toEqual(KEPT)

  // Each control shows the focus.
  await page.evaluate(() => document.querySelector<HTMLElement>('.skip')?.focus())
  for (let control = ''; control !== 'Old logs'; ) {
    await keyboard.press('Tab')
    control = await page.evaluate(() => document.activeElement?.textContent ?? '')
    expect([control, await focusOf(page)]).toEqual([control, KEPT])
  }
  await tabTo(page, /^Log out$/, 'Shift+Tab')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await expect.poll(() => focusOf(page)).toEqual(KEPT)
  await tabTo(page, /^Quit$/, 'Shift+Tab')
  await keyboard.press('Enter')
  await page.getByText('Fish Collection has ended').waitFor()
  await expect.poll(() => focusOf(page)).toEqual(KEPT)
  expect(await app.ended).toEqual([0, null])
})
