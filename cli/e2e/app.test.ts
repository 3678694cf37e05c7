import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createAdminClient } from '@fish-crab/sdk/admin'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { newPlayer, startApp, stateFolder } from './app-process.ts'

const start = (page: Page) => page.getByRole('button', { name: 'Start', exact: true }).click()

/** Logs in with a file, and confirms that the password is saved. */
async function logIn(page: Page, file: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Done' }).click()
}

/** Waits for the card of a catch. */
const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name }).first().waitFor()

test('a player logs in with a file, starts, sees a catch within seconds, and continues after a kill', async ({
  skip,
}) => {
  const context = await startBrowser(skip)
  const { mock, home, user, loginFile, catches, sent } = await newPlayer()
  const first = startApp(home)
  const address = await first.address()
  // Other users of the machine can read the command line of the browser.
  expect(address).toMatch(/^file:.*\.html$/)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(address)
  await page.locator('input[type=file]').setInputFiles(loginFile())
  await page.getByText(user.password).waitFor()
  expect(page.url()).not.toContain('code')
  await page.getByRole('button', { name: 'Done' }).click()
  await start(page)
  await page.getByText('Collecting your catches').waitFor()
  catches('Salmon')
  await card(page, 'Salmon')
  await expect.poll(sent).toEqual(['Salmon'])
  await page.reload()
  await card(page, 'Salmon')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: /^Remove 1 catch of Alex/ }).waitFor()
  await page.getByRole('button', { name: 'Yes' }).click()
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Removed 1 catch of Alex').first().waitFor()
  const stored = await (await mock.fetch('/get/fish?name=Alex&gamemode=earth')).json()
  expect(stored).toMatchObject({ fish: [] })
  await page.getByRole('listitem').filter({ hasText: 'Salmon' }).waitFor({ state: 'hidden' })
  expect(problems).toEqual([])

  first.child.kill('SIGKILL')
  await first.ended
  catches('Eel')
  const second = startApp(home)
  const again = await context.newPage()
  await again.goto(await second.address())
  await expect.poll(sent).toEqual(['Salmon', 'Eel'])
  await again.getByRole('button', { name: 'Quit' }).click()
  await second.ended
  expect(existsSync(join(stateFolder(home), 'app.sock'))).toBe(false)
})

test('a player logs in with address, name and password, and a second start opens another page', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { server, home, user, joins, catches, sent } = await newPlayer()
  joins('earth')
  const app = startApp(home)
  const page = await context.newPage()
  await page.goto(await app.address())
  await page.getByLabel('Address of the service').fill(server.url)
  await page.getByLabel('Name', { exact: true }).fill(user.name)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await start(page)
  await page.getByText('Collecting your catches').waitFor()

  const second = startApp(home)
  expect(await second.ended).toEqual([0, null])
  const other = await context.newPage()
  await other.goto(await second.address())
  await other.getByText('Collecting your catches').waitFor()
  catches('Salmon')
  for (const one of [page, other]) await card(one, 'Salmon')
  await expect.poll(sent).toEqual(['Salmon'])
  await other.getByRole('button', { name: 'Stop' }).click()
  for (const one of [page, other]) await one.getByRole('button', { name: 'Start', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Quit' }).click()
  for (const one of [page, other]) await one.getByText('Fish Collection has ended').waitFor()
  expect(await app.ended).toEqual([0, null])
})

test('catches wait while the service is down, also through a kill, and are sent once', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { mock, home, loginFile, catches, sent } = await newPlayer()
  const first = startApp(home)
  const page = await context.newPage()
  await page.goto(await first.address())
  await logIn(page, loginFile())
  await start(page)
  await page.getByText('Collecting your catches').waitFor()
  const outage = mock.fail('reset', { times: Number.POSITIVE_INFINITY })
  catches('Salmon')
  await page.getByText('1 catch is waiting').waitFor()
  await card(page, 'Salmon')
  outage.cancel()
  await page.getByText('1 catch is waiting').waitFor({ state: 'hidden' })
  expect(sent()).toEqual(['Salmon'])

  const secondOutage = mock.fail('reset', { times: Number.POSITIVE_INFINITY })
  catches('Eel', 'Koi')
  await page.getByText('2 catches are waiting').waitFor()
  first.child.kill('SIGKILL')
  await first.ended
  await page.getByText('Fish Collection has ended').waitFor()
  catches('Cod')
  const second = startApp(home)
  await page.goto(await second.address())
  await page.getByText('3 catches are waiting').waitFor()
  secondOutage.cancel()
  await page.getByText('are waiting').waitFor({ state: 'hidden' })
  await expect.poll(sent).toEqual(['Salmon', 'Eel', 'Koi', 'Cod'])
  await page.getByRole('button', { name: 'Quit' }).click()
  await second.ended
  expect(sent()).toEqual(['Salmon', 'Eel', 'Koi', 'Cod'])
})

test('after an administrator resets the key, a new login sends the rejected catch once', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { mock, home, login, loginFile, catches, sent } = await newPlayer()
  const app = startApp(home)
  const page = await context.newPage()
  await page.goto(await app.address())
  await logIn(page, loginFile())
  await start(page)
  await page.getByText('Collecting your catches').waitFor()
  const admin = createAdminClient({
    baseUrl: mock.origin,
    fetch: mock.fetch,
    username: 'root',
    password: 'root-password',
  })
  const { fernetKey } = await admin.users.reset('Alex', 'fernet')
  catches('Salmon')
  await page.getByText('They are kept').waitFor()
  await page.getByText('1 catch was rejected').waitFor()
  await page.getByRole('heading', { name: 'Log in again' }).waitFor()
  expect(sent()).toEqual([])
  await logIn(page, loginFile({ ...login, fernetKey }))
  await page.getByText('1 catch was rejected').waitFor({ state: 'hidden' })
  await expect.poll(sent).toEqual(['Salmon'])
  catches('Eel')
  await expect.poll(sent).toEqual(['Salmon', 'Eel'])
})

test('a player adds old logs of the games, then chosen files, and each catch once', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { home, loginFile, sent } = await newPlayer()
  const logs = join(home, '.minecraft', 'logs')
  const lineOf = (name: string) =>
    `[09:00:00] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name}.\n[09:00:01] [main/INFO]: Stopping!\n`
  writeFileSync(join(logs, '2026-01-02-1.log.gz'), gzipSync(lineOf('Salmon') + lineOf('Eel')))
  const app = startApp(home)
  const page = await context.newPage()
  await page.goto(await app.address())
  await logIn(page, loginFile())
  await page.getByRole('button', { name: 'Old logs' }).click()
  const addAll = async (count: string) => {
    await page.getByRole('heading', { name: `Add ${count} for Alex` }).waitFor()
    await page.getByText(`${count} to add`).waitFor()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText(`${count} added`).waitFor()
  }
  const readGames = page.getByRole('button', { name: 'Read the logs of my games' })
  await readGames.click()
  await page.getByRole('heading', { name: 'Add 2 catches' }).waitFor()
  await page.getByRole('button', { name: 'No' }).click()
  await page.getByText('Nothing was added').waitFor()
  expect(sent()).toEqual([])
  await readGames.click()
  await addAll('2 catches')
  await expect.poll(sent).toEqual(['Salmon', 'Eel'])
  const other = join(home, 'older')
  mkdirSync(join(other, 'inner'), { recursive: true })
  writeFileSync(join(other, '2026-01-01-1.log'), lineOf('Koi'))
  writeFileSync(join(other, 'inner', 'copy.log.gz'), gzipSync(lineOf('Pike')))
  writeFileSync(join(other, 'options.dat'), lineOf('Tuna'))
  await page.getByLabel('Folder').setInputFiles(other)
  await addAll('2 catches')
  await expect.poll(sent).toEqual(['Salmon', 'Eel', 'Koi', 'Pike'])
  await page.getByLabel('Files').setInputFiles(join(other, '2026-01-01-1.log'))
  await page.getByText('0 catches added').waitFor()
  await page.getByLabel('Files').setInputFiles(join(other, 'options.dat'))
  await page.getByText('No logs found').waitFor()
  expect(sent()).toHaveLength(4)
})

test('a player chooses the gamemode once, and deletes the login file among the downloads', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { home, login, catches, sent, mock } = await newPlayer()
  const { gamemode: _, ...withoutGamemode } = login
  const file = join(home, 'Downloads', 'alex.json')
  mkdirSync(join(home, 'Downloads'))
  writeFileSync(file, JSON.stringify(withoutGamemode))
  const app = startApp(home)
  const page = await context.newPage()
  await page.goto(await app.address())
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Delete alex.json' }).click()
  await expect.poll(() => existsSync(file)).toBe(false)
  await start(page)
  await page.getByRole('button', { name: 'oneblock' }).click()
  await page.getByText('Collecting your catches').waitFor()
  catches('Salmon')
  await card(page, 'Salmon')
  await expect.poll(sent).toEqual(['Salmon'])
  const stored = await (await mock.fetch('/get/fish?name=Alex&gamemode=oneblock')).json()
  expect(stored).toMatchObject({ fish: [{ name: 'Salmon' }] })
  await page.getByRole('button', { name: 'Stop' }).click()
  await start(page)
  await page.getByText('Collecting your catches').waitFor()
})
