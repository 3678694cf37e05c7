import { expect, test } from 'vitest'
import { newFolder } from '../../server/test/storage/folders.ts'
import { createStallingDisk } from '../../server/test/storage/stalled-disk.ts'
import { launch } from './maintenance-processes.ts'

test('serve on a disk that has stalled is not ready, fails writes, and ends while it is stalled when it is told to', {
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
  const login = JSON.stringify({ username: 'admin', password: 'boss-password' })

  // Nothing below resumes it: what waits for the disk waits until the test times out.
  disk.stall()
  const write = send('/admin/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: login,
  })
  // What a probe found stands for a second.
  await expect.poll(async () => (await send('/readyz')).status).toBe(503)
  for (const path of ['/readyz', '/status']) expect(await send(path)).toMatchObject({ status: 503 })
  expect((await send('/livez')).status).toBe(200)

  server.child.kill('SIGTERM')
  expect(await write).toMatchObject({ status: 500, body: { code: 'storage_error' } })
  expect(await server.closed).not.toBe(0)
  expect(server.stderr()).toMatch(/The disk does not respond. Unfinished writes: \d+.*the disk has not taken all/)
})
