import { createClient } from '@fish-crab/sdk'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { accessibilityFindings } from '../../scripts/test-support/page-access.ts'
import { startServer } from './pages.ts'

const PUBLIC_URL = 'https://fish.example'

/** Opens the page of a link at the address of the test server, and returns the token of the link. */
async function openLink(page: Page, url: string, link: string): Promise<string> {
  const { pathname, hash } = new URL(link)
  await page.goto(`${url}${pathname}${hash}`)
  return hash.slice(1)
}

async function savedFile(page: Page) {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the login file' }).click()
  const file = await download
  const chunks = await (await file.createReadStream()).toArray()
  return { name: file.suggestedFilename(), content: JSON.parse(Buffer.concat(chunks).toString()) }
}

it('a login link gives the player a login file only after the button was pressed, and also after a lost response', async ({
  skip,
}) => {
  const browser = await startBrowser(skip)
  const { url, admin } = await startServer({ FISH_PUBLIC_URL: PUBLIC_URL })
  const { fernetKey } = await admin.keys.get('Alex')
  const link = await admin.users.createLoginLink('Alex')
  const page = await browser.newPage()
  const response = page.waitForResponse((one) => new URL(one.url()).pathname === '/login')
  const token = await openLink(page, url, link.url)
  const headers = (await response).headers()
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  await page.getByRole('heading', { name: 'Log in with this link' }).waitFor()
  expect(page.url()).toBe(`${url}/login`)

  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page
    .getByRole('alert')
    .getByText(/^password: /)
    .waitFor()
  await page.getByLabel('Password').fill('three quiet rivers')
  await page.route('**/user/login-link', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Log in' }).click()
  await page
    .getByText('The service did not respond. Keep this page open, and press the button again within ten minutes.')
    .waitFor()
  await page.unroute('**/user/login-link')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Welcome, Alex' }).waitFor()
  const { name, content } = await savedFile(page)
  expect([name, content]).toEqual([
    'Alex.json',
    {
      version: 1,
      service: PUBLIC_URL,
      name: 'Alex',
      password: 'three quiet rivers',
      fernetKey,
      apiKey: content.apiKey,
    },
  ])
  const client = createClient({ baseUrl: url, env: {}, apiKey: content.apiKey })
  expect(await client.keys.get({ username: 'Alex', password: 'three quiet rivers' })).toMatchObject({ fernetKey })

  const again = await browser.newPage()
  await openLink(again, url, `${PUBLIC_URL}/login#${token}`)
  await again.getByRole('button', { name: 'Log in' }).click()
  await again.getByText('This link is used, expired or unknown.').waitFor()
})

it.for([390, 1440])(
  'an invitation creates a player who chooses the name, without findings of axe at %i px',
  async (width, { skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_PUBLIC_URL: PUBLIC_URL })
    const { url: link } = await admin.invitations.create({ uses: 1 })
    const page = await browser.newPage()
    await page.setViewportSize({ width, height: 800 })
    await openLink(page, url, link)
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByLabel('Name in the game').fill('Alex')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByText('A user with this name exists already.').waitFor()
    await page.getByLabel('Name in the game').fill('Newcomer')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { name: 'Welcome, Newcomer' }).waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    const { content } = await savedFile(page)
    expect(content).toMatchObject({ name: 'Newcomer', service: PUBLIC_URL })
    expect((await admin.invitations.list()).invitations).toMatchObject([
      { remaining: 0, players: [{ name: 'Newcomer' }] },
    ])
  },
)
