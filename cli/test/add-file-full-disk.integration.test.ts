import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mountSmallDisk } from '../../scripts/test-support/small-disk.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()

test('add --file reports the number of queued catches when the disk fills up', async ({ skip }) => {
  const mounted = mountSmallDisk()
  if ('reason' in mounted) return skip(mounted.reason)
  const file = join(newFolder(), 'catches.csv')
  writeFileSync(file, Array.from({ length: 20_000 }, (_, index) => `Fish number ${index},1\n`).join(''))
  const away = { ...context.player, ...xdgFolders(newFolder()), FISH_URL: 'http://127.0.0.1:9' }
  const env = { ...away, XDG_STATE_HOME: mounted.disk }
  const { status, stdout } = await run(['add', '--file', file, '--json'], { env })
  const { error } = JSON.parse(stdout)
  expect([status, error.code]).toEqual([1, 'outbox_disk_full'])
  const queued = JSON.parse((await run(['outbox', '--json'], { env })).stdout).waiting
  expect(queued).toBeGreaterThan(0)
  expect(error.message).toMatch(/^The outbox \S+\.db is on a full disk\. /)
  expect(error.message).toContain(`${queued} of 20000 catches are waiting in the outbox.`)
  expect(error.hint).toContain('Repeat the command to continue')
})
