import { createClient } from '@fish-crab/sdk'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings } from '../../scripts/test-support/page-access.ts'
import { openAdministration } from './admin-page.ts'
import { startServer } from './pages.ts'

const PUBLIC_URL = 'https://fish.example'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function openPanel(skip: Parameters<typeof startBrowser>[0], width = 1440) {
  const browser = await startBrowser(skip)
  const { url, admin } = await startServer({ FISH_PUBLIC_URL: PUBLIC_URL })
  const page = await browser.newPage()
  await page.setViewportSize({ width, height: 900 })
  return { url, admin, page }
}

/** Reads a ZIP file without compression by its central directory (APPNOTE.TXT, section 4.3.12). */
function filesOf(zip: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === 0x02014b50; ) {
    const [size, local] = [zip.readUInt32LE(at + 24), zip.readUInt32LE(at + 42)]
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [number, number, number]
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    files.set(zip.toString('utf8', at + 46, at + 46 + name), zip.toString('utf8', start, start + size))
    at += 46 + name + extra + comment
  }
  return files
}

describe('the administrators’ page', () => {
  it('creates players from a list with names that are unsafe for files, and saves their login files as one ZIP file', async ({
    skip,
  }) => {
    const { url, admin, page } = await openPanel(skip)
    await openAdministration(page, url, '#import')
    await page.getByLabel('Names, one per line').fill('name\nCON\n*x\n.hidden\nalex\nBea\ntwo words')
    await page.getByText('Line 7: name: Must be').waitFor()
    expect(await button(page, 'Create 5 players').isDisabled()).toBe(true)
    await page.getByLabel('Names, one per line').fill('name,password\nCON\n*x,three quiet rivers\n.hidden\nalex\nBea\n')
    await button(page, 'Create 5 players').click()
    await page.getByText('Created 4 players.').waitFor()
    await page.getByText('alex: A user with this name exists already.').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    const download = page.waitForEvent('download')
    await button(page, 'Download 4 login files').click()
    const files = filesOf(Buffer.concat(await (await (await download).createReadStream()).toArray()))
    expect([...files.keys()].sort()).toEqual(['%2Ax.json', '%2Ehidden.json', '%43ON.json', 'Bea.json'])
    const file = JSON.parse(files.get('%2Ax.json') ?? '')
    expect(file).toMatchObject({ version: 1, service: PUBLIC_URL, name: '*x', password: 'three quiet rivers' })
    const client = createClient({ baseUrl: url, env: {}, apiKey: file.apiKey })
    const { fernetKey } = await client.keys.get({ username: file.name, password: file.password })
    expect(fernetKey).toBe(file.fernetKey)
    await button(page, 'I have saved them').click()
    await page.getByRole('heading', { level: 1, name: 'Players', exact: true }).waitFor()
    expect((await admin.users.list()).users).toHaveLength(5)
  })

  it('reports a list that is too large, and players who may exist after a lost response', async ({ skip }) => {
    const { url, page } = await openPanel(skip)
    await openAdministration(page, url, '#import')
    const file = { name: 'players.csv', mimeType: 'text/csv', buffer: Buffer.alloc(1024 * 1024 + 1, 'a') }
    await page.getByLabel('Choose a file').setInputFiles(file)
    await page.getByText('The file is larger than 1 MiB. Split it.').waitFor()
    await page.getByLabel('Choose a file').setInputFiles({ ...file, buffer: Buffer.from('Bea\nMia\n') })
    await page.getByText('2 players in the list').waitFor()
    expect(await page.getByText('The file is larger').count()).toBe(0)
    await page.route('**/admin/users/bulk', (route) => route.abort())
    await button(page, 'Create 2 players').click()
    await page.getByText('The other 2 may exist without a login file. Import the list again to see which.').waitFor()
  })

  it.for([390, 1440])(
    'suspends, renames and links a player, and invites players, without findings of axe at %i px',
    async (width, { skip }) => {
      const { url, admin, page } = await openPanel(skip, width)
      await openAdministration(page, url, '#players/Alex')
      await button(page, 'Suspend').click()
      await page.getByLabel('Collections').selectOption('hide')
      expect(await accessibilityFindings(page)).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
      await page.getByText('Suspended and hidden').waitFor()
      expect(await admin.users.get('Alex')).toMatchObject({ suspended: true, hidden: true })
      await button(page, 'End suspension').click()
      await page.getByRole('dialog').getByRole('button', { name: 'End the suspension' }).click()
      await page.getByText('Alex is no longer suspended.').waitFor()

      await button(page, 'Login link').click()
      await button(page, 'Create the link').click()
      const link = await page.locator('dialog code.link').textContent()
      expect(link).toMatch(/^https:\/\/fish\.example\/login#u/)
      expect(await accessibilityFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await button(page, 'I have sent it').click()

      await button(page, 'Rename').click()
      await page.getByLabel('New name').fill('Zoe')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor()

      await page.goto(`${page.url().split('#')[0]}#invitations`)
      await button(page, 'New invitation').click()
      await page.getByLabel('Number of players').fill('0')
      await button(page, 'Create the invitation').click()
      await page.getByText('Enter a number from 1 to 500.').waitFor()
      await page.getByLabel('Number of players').fill('30')
      await button(page, 'Create the invitation').click()
      await page.getByText('30 players can create an account').waitFor()
      await button(page, 'I have sent it').click()
      await page.getByText('0 of 30').waitFor()
      expect(await accessibilityFindings(page)).toEqual([])
      await page.getByRole('button', { name: /^End the invitation of/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End the invitation', exact: true }).click()
      await page.getByText('Ended', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: /^End the invitation of/ }).count()).toBe(0)
    },
  )

  it('exports the catches of all players', async ({ skip }) => {
    const { url, page } = await openPanel(skip)
    await openAdministration(page, url, '#overview')
    const download = page.waitForEvent('download')
    await button(page, 'Export all catches').click()
    const chunks = await (await (await download).createReadStream()).toArray()
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n')
    expect(lines).toHaveLength(6)
    expect(lines[1]).toMatch(/^Alex,fish,earth,Salmon,Gold,/)
  })
})
