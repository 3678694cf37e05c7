import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { startBrowser } from '../test-support/chromium.ts'
import { PROJECT } from '../test-support/language-tools.ts'

const DIST = join(PROJECT, 'docs/dist')
const DOORS = ['index.html', 'play.html', 'build-a-mod.html', 'test.html', 'run-a-service.html']
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const NOT_BUILT = 'The documentation is not built: npm run docs'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Serves the built documentation like a plain file server. */
async function serveDocs(): Promise<string> {
  const server = createServer(async ({ url = '' }, response) => {
    const path = new URL(url, 'http://localhost').pathname
    const file = join(DIST, path.endsWith('/') ? `${path}index.html` : path)
    const content = await readFile(file).catch(() => undefined)
    if (content === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(content)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Opens a page of the documentation and collects its problems: messages on the console, failed requests, and requests
 * to other hosts.
 */
async function openDocs(skip: TestContext['skip']) {
  if (!existsSync(DIST) && process.env.CI === 'true') throw new Error(NOT_BUILT)
  if (!existsSync(DIST)) return skip(NOT_BUILT)
  const context = await startBrowser(skip)
  const url = await serveDocs()
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) problems.push(request.url())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  return { page, url, problems }
}

/** Opens a page, and waits until its scripts respond to clicks. */
async function open(page: Page, url: string, path: string) {
  await page.goto(`${url}/${path}`)
  await page.waitForFunction(() => {
    const app = document.querySelector('#app')
    return app !== null && '__vue_app__' in app
  })
}

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

describe('The documentation', () => {
  test.for<[string, RegExp]>([
    ['overlay', /streamers\.html/],
    ['lost key', /questions\.html/],
    ['backup', /back-up-and-move\.html/],
    ['429', /questions\.html/],
    ['FISH_TRUST_PROXY', /(behind-a-proxy|settings)\.html/],
  ])('lets a reader search for %s and open the right page with the keyboard only', async ([words, page], { skip }) => {
    const docs = await openDocs(skip)
    await open(docs.page, docs.url, '')
    await docs.page.keyboard.press('Control+k')
    await docs.page.locator('.VPLocalSearchBox input').waitFor()
    await docs.page.keyboard.type(words)
    await docs.page.locator('.VPLocalSearchBox .result').first().waitFor()
    await docs.page.keyboard.press('Enter')
    await docs.page.waitForURL(/\.html/)
    expect(docs.page.url()).toMatch(page)
    expect(docs.problems).toEqual([])
  })

  test('follows the colour scheme of the system until the reader switches it', async ({ skip }) => {
    const { page, url, problems } = await openDocs(skip)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await open(page, url, 'play.html')
    const light = await background(page)
    await page.locator('.VPNavBar .VPSwitchAppearance').first().click()
    await expect.poll(() => background(page)).not.toBe(light)
    await page.evaluate(() => localStorage.clear())
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(page, url, 'play.html')
    expect(await background(page)).not.toBe(light)
    expect(problems).toEqual([])
  })

  test('loads every page without errors and requests to other hosts, and axe finds no problems on the main pages', async ({
    skip,
  }) => {
    const { page, url, problems } = await openDocs(skip)
    const pages = (await readdir(DIST, { recursive: true })).filter((file) => file.endsWith('.html'))
    expect(pages).toEqual(expect.arrayContaining([...DOORS, 'reference/api.html', 'reference/sdk/client.html']))
    for (const path of pages.filter((file) => file !== '404.html')) await open(page, url, path)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [390, 1440]) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: 900 })
        for (const door of DOORS) {
          await open(page, url, door)
          for (const finding of await axeFindings(page)) problems.push(`${door}, ${colorScheme}, ${width}: ${finding}`)
        }
      }
    }
    expect(problems).toEqual([])
  })
})

async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: AXE })
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly Violation[] }> } }
    interface Violation {
      readonly id: string
      readonly nodes: readonly { readonly html: string }[]
    }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}
