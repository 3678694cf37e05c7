import { expect, test } from 'vitest'
import { startRemoteStorage } from '../../scripts/test-support/remote-storage.ts'
import { createStallingDisk } from '../../scripts/test-support/stalled-disk.ts'
import { newFolder } from '../../server/test/storage/folders.ts'
import { launch } from './maintenance-processes.ts'

test('serve on a stalled disk is not ready, fails writes, and still stops on request', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const server = launch(['serve'], {
    FISH_STORAGE: `file:${newFolder()}`,
    FISH_PORT: '0',
    FISH_LOG: 'json',
    FISH_ADMIN_PASSWORD: 'boss-password',
    ...disk.env,
  })
  const [, url] = await server.until(/listening on (\S+)/)
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, init)
    return { status: response.status, body: await response.json() }
  }
  const post = (path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    return send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const { body: session } = await post('/admin/login', { username: 'admin', password: 'boss-password' })
  await post('/admin/users', { name: 'Alex' }, session.token)

  // The disk is never resumed. A wait for the disk would last until the test times out.
  disk.stall()
  const write = post('/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Eel', rarity: 1 }] }, session.token)
  // The result of a probe is cached for a second.
  await expect.poll(async () => (await send('/readyz')).status).toBe(503)
  for (const path of ['/readyz', '/status']) expect(await send(path)).toMatchObject({ status: 503 })
  expect((await send('/livez')).status).toBe(200)

  server.child.kill('SIGTERM')
  expect(await write).toMatchObject({ status: 500, body: { code: 'storage_error' } })
  expect(await server.closed).not.toBe(0)
  expect(server.stderr()).toMatch(
    /The disk does not respond. Unfinished writes: \d+.*killed: the storage did not close in time/,
  )
})

test('serve exits if its start fails because of a stalled disk', {
  timeout: 60_000,
}, async ({ skip }) => {
  const disk = createStallingDisk(skip)
  const folder = newFolder()
  const storage = await startRemoteStorage(folder)
  await storage.dispose()
  await storage.kill()

  // The disk is never resumed: the first write of the start fails, and its thread waits for the disk.
  disk.stall()
  const server = launch(['serve'], {
    FISH_STORAGE: `file:${folder}`,
    FISH_PORT: '0',
    FISH_LOG: 'json',
    FISH_SECRET: 'a secret of a test that is long enough',
    FISH_JWT_SECRET: 'a secret of a test that is long enough',
    FISH_ADMIN_PASSWORD: 'boss-password',
    ...disk.env,
  })
  // The process has to end by a signal, since it cannot exit before the disk responds.
  expect(await server.closed).toBe(null)
  expect(server.stderr()).toMatch(
    /fish-cli serve: The disk has not completed a write.*killed: the disk does not respond/s,
  )
})
