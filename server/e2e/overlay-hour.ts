// node server/e2e/overlay-hour.ts [MINUTES] [MINUTES_BETWEEN_RESTARTS]: keeps an overlay open while catches are posted
// and the server is restarted, by SIGTERM and SIGKILL alternately. The script prints the memory of the page, and any
// missed or repeated catches.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { launchChromium } from '../../scripts/test-support/launch-chromium.ts'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'

const [minutes = 60, between = 5] = process.argv.slice(2).map(Number)
const CATCH_EVERY_MS = 3000
const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`)
const EARTH = { gamemode: 'earth' } as const

const browser = await launchChromium()
if (!browser) throw new Error('Chromium was not found: apt-get install chromium')
const folder = mkdtempSync(join(tmpdir(), 'fish-overlay-'))
const env = { FISH_STORAGE: `file:${folder}`, FISH_ADMIN_RATE_LIMIT: '100000' }
let server = await startServerProcess(env)
const { url } = server
try {
  const admin = createAdminClient({ baseUrl: url, username: 'root', password: 'root-password' })
  await admin.users.create({ name: 'Alex' })
  const page = await browser.newPage({ viewport: { width: 600, height: 500 } })
  const client = await page.context().newCDPSession(page)
  await client.send('HeapProfiler.enable')
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seen })
    addEventListener('DOMContentLoaded', () => {
      const look = (records: MutationRecord[]) => {
        for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
          if (node instanceof Element && node.matches('.caught.enters')) {
            seen.push(node.querySelector('.caught-name')?.textContent ?? '')
          }
        }
      }
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
    })
  })
  await page.goto(`${url}/overlay/Alex?gamemode=earth`)
  await page.locator('.all').waitFor()

  const figures = async () => {
    await client.send('HeapProfiler.collectGarbage')
    const { usedSize } = await client.send('Runtime.getHeapUsage')
    return { megabytes: (usedSize / 2 ** 20).toFixed(2), nodes: await page.locator('*').count() }
  }
  const end = Date.now() + minutes * 60_000
  let [stored, restarts, restartAt] = [0, 0, Date.now() + between * 60_000]
  while (Date.now() < end) {
    if (Date.now() > restartAt) {
      await server.end(restarts % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
      server = await startServerProcess({ ...env, FISH_PORT: new URL(url).port })
      restarts += 1
      restartAt += between * 60_000
      print({ restarts, stored, ...(await figures()) })
    }
    stored += 1
    await admin.fish.add('Alex', { name: `Fish ${stored}`, rarity: 'Gold' }, EARTH)
    await sleep(CATCH_EVERY_MS)
  }
  await sleep(10_000)
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  const missed = Array.from({ length: stored }, (_, index) => `Fish ${index + 1}`).filter(
    (name) => !seen.includes(name),
  )
  const total = await page.locator('.all').textContent()
  print({ stored, total, shown: seen.length, doubled: seen.length - new Set(seen).size, missed, restarts })
} finally {
  await server.end('SIGKILL')
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
