import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { expect, onTestFinished, test } from 'vitest'
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

test('outbox --send sends the waiting catches once although the disk is full', async ({ skip }) => {
  const mounted = mountSmallDisk(4)
  if ('reason' in mounted) return skip(mounted.reason)
  const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  onTestFinished(() => mock.close())
  const { url } = await mock.serve()
  const { fernetKey } = mock.user('Alex')
  const player = { FISH_URL: url, FISH_USER: 'Alex', FISH_KEY: fernetKey, FISH_GAMEMODE: 'earth', FISH_MAX_WAIT: '0' }
  const env = { ...xdgFolders(newFolder()), ...player, XDG_STATE_HOME: mounted.disk }
  const lost = mock.fail('lost-response', { on: 'postFish', times: Number.POSITIVE_INFINITY })
  const piped = Array.from({ length: 1200 }, (_, index) => `Fish number ${index},1\n`).join('')
  expect((await run(['add', '--file', '-'], { env, piped })).status).toBe(69)
  lost.cancel()
  const other = join(mounted.disk, 'other-program')
  expect(() => writeFileSync(other, Buffer.alloc(8 * 1024 * 1024))).toThrow('ENOSPC')
  expect(existsSync(other)).toBe(true)
  const { status, stderr, stdout } = await run(['outbox', '--send'], { env })
  expect([status, stderr + stdout]).toEqual([0, expect.stringContaining('1200')])
  expect(mock.sent.fish()).toHaveLength(1200)
})
