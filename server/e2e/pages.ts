import { createAdminClient } from '@fish-crab/sdk/admin'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'

/** The first administrator of {@link startServer}. */
export const ADMIN = { username: 'root', password: 'root-password' } as const

/** Alex's collection in the gamemode earth. */
export const ALEX = '/@Alex?gamemode=earth'

/**
 * On a busy machine, Chromium reports requests as aborted although the page has read and shown the whole response, and
 * leaving a page aborts its stream. Requests that really fail are reported on the pages.
 */
export const READ_TO_THE_END = /\/((get|admin)\/|events\?)\S+ net::ERR_ABORTED$/

/** The fish of Alex in the gamemode earth. Alex also has a crab. */
export const FISH = [
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-31T12:00:00.000Z' },
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-02-01T12:00:00.000Z' },
  { name: 'Salmon', rarity: 'Bronze', caughtAt: '2026-02-02T12:00:00.000Z' },
  { name: 'Koi', rarity: 'Mythical', caughtAt: '2026-02-03T12:00:00.000Z' },
] as const

/** Starts a built server for one test, with an administrator's client and the player Alex, who has catches. */
export async function startServer(env: Readonly<Record<string, string>> = {}) {
  const server = await startServerProcess({ FISH_STORAGE: 'memory:', ...env })
  onTestFinished(async () => {
    if (server.child.exitCode === null) await server.end('SIGKILL')
  })
  const admin = createAdminClient({ baseUrl: server.url, ...ADMIN })
  await admin.users.create({ name: 'Alex' })
  await admin.fish.add('Alex', FISH, { gamemode: 'earth' })
  await admin.crabs.add('Alex', [{ caughtAt: '2026-02-02T12:00:00.000Z' }], { gamemode: 'earth' })
  return { ...server, admin }
}

/** Findings of an accessibility checker on the current page. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  })
}

/** Presses Tab until an element with this name has the focus. */
export async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      const label = (activeElement as HTMLInputElement | null)?.labels?.[0]
      return label?.textContent ?? activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
    })
    if (name.test(focused)) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab does not lead to ${name}.`)
}
