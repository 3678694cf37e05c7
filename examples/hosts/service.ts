/**
 * Creates the service for the hosts in this folder.
 *
 * Environment:
 * - FISH_STORAGE: `file:./data` (default), `redis://…` or `memory:`.
 * - FISH_PORT: the port, 8787 by default.
 * - FISH_SECRET: at least 32 random characters. Store this secret safely, because it decrypts the players' keys.
 * - FISH_JWT_SECRET: at least 32 random characters.
 * - FISH_ADMIN_PASSWORD: the password of `admin`. Only the first start uses it.
 */
import process from 'node:process'
import { createNodeEncoder, createScryptHasher } from '@fish-crab/server'
import { type App, createApp } from '@fish-crab/server/app'
import { createStorage } from '@fish-crab/server/storage'

export const port = Number(process.env.FISH_PORT ?? 8787)

/**
 * Returns the service, and a function that registers how to stop the host. On SIGTERM, the host finishes the requests
 * in flight before it exits.
 */
export async function createService(): Promise<{ app: App; onStop: (stopHost: () => Promise<unknown>) => void }> {
  const { FISH_STORAGE = 'file:./data', FISH_SECRET = '', FISH_JWT_SECRET = '', FISH_ADMIN_PASSWORD } = process.env
  const storage = await openStorage(FISH_STORAGE)
  const app = createApp({
    storage,
    secrets: { encryption: FISH_SECRET, session: FISH_JWT_SECRET },
    passwords: createScryptHasher(),
    contentEncoder: createNodeEncoder(),
    version: '1.0.0',
  })
  await app.checkSecrets()
  if (FISH_ADMIN_PASSWORD && !(await app.admins.exist())) {
    await app.admins.create('admin', FISH_ADMIN_PASSWORD, 'superadmin')
  }
  // Someone may empty or replace a Redis while the service runs. While this check fails, all requests get an error.
  const timer = setInterval(() => app.verifyStore().catch(() => {}), 1000)
  const onStop = (stopHost: () => Promise<unknown>) => {
    process.once('SIGTERM', async () => {
      app.closeStreams() // Open streams would keep the host from stopping.
      await stopHost()
      clearInterval(timer)
      await storage.dispose()
    })
  }
  return { app, onStop }
}

function openStorage(url: string) {
  if (url === 'memory:') return createStorage({ driver: 'memory' })
  if (url.startsWith('file:')) return createStorage({ driver: 'file', path: url.slice('file:'.length) })
  return createStorage({ driver: 'redis', url })
}
