import { createAdminClient } from '@fish-crab/sdk/admin'
import { onTestFinished } from 'vitest'
import { startServerProcess } from '../../scripts/test-support/server-process.ts'

/** The credentials of the first administrator of {@link startServer}. */
export const ADMIN = { username: 'root', password: 'root-password' } as const

/** The path of Alex's collection in the gamemode earth. */
export const ALEX = '/@Alex?gamemode=earth'

/**
 * Complaints to ignore. On a busy machine, Chromium may report a request as aborted although the page has read the
 * whole response. Leaving a page also aborts its stream and the files that load after the first view. The pages
 * themselves report real failures.
 */
export const READ_TO_THE_END = /\/((get|admin|assets)\/|events\?)\S+ net::ERR_ABORTED$/

/** The fish of Alex in the gamemode earth. Alex also has one crab in that gamemode. */
export const FISH = [
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-31T12:00:00.000Z' },
  { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-02-01T12:00:00.000Z' },
  { name: 'Salmon', rarity: 'Bronze', caughtAt: '2026-02-02T12:00:00.000Z' },
  { name: 'Koi', rarity: 'Mythical', caughtAt: '2026-02-03T12:00:00.000Z' },
] as const

/**
 * Starts the built server for one test, creates the player Alex with some catches, and returns the server with an admin
 * client.
 */
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
