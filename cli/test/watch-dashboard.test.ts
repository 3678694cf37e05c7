import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()
const HALF_AN_HOUR = 30 * 60_000

test('watch on a terminal counts what is caught per hour, and nothing that was caught before its start', async () => {
  const folder = newFolder()
  const log = join(folder, 'latest.log')
  const line = (at: number, name: string) =>
    `[${new Date(at).toTimeString().slice(0, 8)}] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name}.\n`
  const now = Date.now()
  await writeFile(log, `[main/INFO]: Begun\n${line(now - 2 * HALF_AN_HOUR, 'Before')}`)
  let late = -HALF_AN_HOUR
  let text = ''
  const ending = new AbortController()
  const running = run(['watch', log, '--from-start'], {
    env: { ...context.player, ...xdgFolders(folder), NO_COLOR: '1' },
    terminal: true,
    columns: 100,
    rows: 30,
    interrupted: ending.signal,
    clock: {
      now: () => Date.now() + late,
      sleep: (_ms, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    },
    onStdout: (all) => {
      text = all
    },
  })
  await expect.poll(() => text, { interval: 10 }).toContain('Before')
  late = 0
  await appendFile(log, line(now, 'Salmon') + line(now, 'Cod'))
  await expect.poll(() => text, { interval: 10 }).toMatch(/3 fish[\s\S]*for 30:\d\d · 4 an hour · best: Before/)
  ending.abort()
  expect((await running).stderr).toMatch(/3 fish, 0 crabs in 30:\d\d, 4 an hour\./)
})
