import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMock } from '@fish-crab/mocks'
import { expect, onTestFinished, test } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { newFolder, xdgFolders } from '../test/folders.ts'

const CLI = fileURLToPath(new URL('../bin/run.js', import.meta.url))

/** Starts the program for players with a browser that only records the address. */
function startApp(home: string) {
  const opened = join(home, 'opened')
  const browser = join(home, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`)
  chmodSync(browser, 0o755)
  const env = { PATH: process.env.PATH, HOME: home, ...xdgFolders(home), BROWSER: browser, FISH_SECRET_STORE: 'file' }
  const child = spawn(process.execPath, [CLI, 'app'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return {
    child,
    ended: once(child, 'exit'),
    /** The address that the browser got, once the program is ready. */
    async address(): Promise<string> {
      await once(child.stdout, 'data')
      return readFileSync(opened, 'utf8').trim().split('\n').at(-1) ?? ''
    },
  }
}

test('a player logs in with a file, starts, sees a catch within seconds, and continues after a kill', async ({
  skip,
}) => {
  const context = await startBrowser(skip)
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const { url: service } = await mock.serve()
  onTestFinished(() => mock[Symbol.asyncDispose]())
  const home = newFolder()
  const log = join(home, '.minecraft', 'logs', 'latest.log')
  mkdirSync(join(log, '..'), { recursive: true })
  writeFileSync(log, '[09:00:00] [main/INFO]: Setting user: Alex\n')
  const { name, password, fernetKey } = mock.user('Alex')
  const file = join(home, 'alex.json')
  writeFileSync(file, JSON.stringify({ version: 1, service, name, password, fernetKey, gamemode: 'earth' }))

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
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText(password).waitFor()
  expect(page.url()).not.toContain('code')
  await page.getByRole('button', { name: /saved|continue|done|written/i }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Collecting your catches').waitFor()
  appendFileSync(
    log,
    '[09:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon with a length of 31.5cm.\n',
  )
  appendFileSync(log, '[09:00:03] [Render thread/INFO]: [CHAT] ok\n')
  await page.getByRole('listitem').filter({ hasText: 'Salmon' }).waitFor()
  await expect.poll(() => mock.sent.fish().map((one) => one.name)).toEqual(['Salmon'])
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'Salmon' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Remove the catches' }).click()
  await page.getByText('Removed 1 catch of Alex').first().waitFor()
  const stored = await (await mock.fetch('/get/fish?name=Alex&gamemode=earth')).json()
  expect(stored).toMatchObject({ fish: [] })
  // The browser reports the first undo, which needs the password.
  expect(problems.filter((text) => !text.includes('422'))).toEqual([])

  first.child.kill('SIGKILL')
  await first.ended
  appendFileSync(log, '[09:00:05] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Eel with a length of 31.5cm.\n')
  appendFileSync(log, '[09:00:06] [Render thread/INFO]: [CHAT] ok\n')
  const second = startApp(home)
  const again = await context.newPage()
  await again.goto(await second.address())
  await expect.poll(() => mock.sent.fish().map((one) => one.name), { timeout: 20_000 }).toEqual(['Salmon', 'Eel'])
  await again.getByRole('button', { name: 'Quit' }).click()
  await second.ended
  expect(existsSync(join(home, 'state', 'fish-crab', 'app.sock'))).toBe(false)
})
