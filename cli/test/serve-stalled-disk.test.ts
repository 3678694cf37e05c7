import { expect, test } from 'vitest'
import { newFolder } from '../../server/test/storage/folders.ts'
import { createStallingDisk } from '../../server/test/storage/stalled-disk.ts'
import { launch } from './maintenance-processes.ts'

test('serve on a disk that has stalled is not ready within 2 s, fails writes, and ends in time when it is told to', {
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
  const timed = async (path: string, init: RequestInit = {}) => {
    const started = performance.now()
    const response = await fetch(`${url}${path}`, init)
    return { status: response.status, body: await response.json(), ms: performance.now() - started }
  }
  const login = JSON.stringify({ username: 'admin', password: 'boss-password' })

  disk.stall()
  const write = timed('/admin/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: login,
  })
  // What a probe found stands for a second.
  await expect.poll(async () => (await timed('/readyz')).status, { timeout: 3000 }).toBe(503)
  for (const path of ['/readyz', '/status']) {
    const { status, ms } = await timed(path)
    expect({ path, status }).toEqual({ path, status: 503 })
    expect(ms).toBeLessThan(2000)
  }
  expect((await timed('/livez')).status).toBe(200)

  const stopped = performance.now()
  server.child.kill('SIGTERM')
  expect(await write).toMatchObject({ status: 500, body: { code: 'storage_error' } })
  expect(await server.closed).not.toBe(0)
  expect(performance.now() - stopped).toBeLessThan(10_000)
  expect(server.stderr()).toMatch(/The disk does not respond. Unfinished writes: \d+.*the disk has not taken all/)
})
