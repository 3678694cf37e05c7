import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { expect, test } from 'vitest'
import { sendDelayMs } from '../src/commands/watch/report.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext({ FISH_RATE_LIMIT: '25' })
const CATCHES = 60

/** Runs watch for a player who catches a fish every two seconds. Returns the remaining requests of the rate limit. */
async function fishing(env: Record<string, string | undefined>) {
  const folder = newFolder()
  const log = join(folder, 'latest.log')
  await mkdir(folder, { recursive: true })
  await writeFile(log, '[09:00:00] [main/INFO]: Loading Minecraft\n')
  // Only the test advances this clock. The service and the timeouts of requests use real time.
  const { clock } = await createMock({ startAt: Date.now() })
  const ending = new AbortController()
  const started = Promise.withResolvers<void>()
  let shown = ''
  const watching = run(['watch', log], {
    env: { ...context.player, HOME: folder, ...xdgFolders(folder), ...env },
    clock: { now: clock.now, sleep: clock.sleep },
    interrupted: ending.signal,
    onStdout: (text) => {
      shown = text
    },
    onStderr: (text) => {
      if (text.includes('Watching')) started.resolve()
    },
  })
  await started.promise
  for (let caught = 1; caught <= CATCHES; caught += 1) {
    await appendFile(log, `[12:00:00] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Fish ${caught}.\n`)
    await clock.advance(2000)
  }
  const goOn = async () => {
    await clock.advance(100)
    return shown
  }
  await expect.poll(goOn, { interval: 20 }).toContain(`Fish ${CATCHES} `)
  const answer = await fetch(`${context.service.url}/status`)
  ending.abort(new Error('Ctrl-C'))
  await watching
  return Number(answer.headers.get('x-ratelimit-remaining'))
}

test('watch reserves a part of the rate limit for other commands, even if there are many catches', async () => {
  expect(await fishing({})).toBeGreaterThanOrEqual(9)
})

test('with an API key, watch uses no requests of the rate limit', async () => {
  const before = Number((await fetch(`${context.service.url}/status`)).headers.get('x-ratelimit-remaining'))
  expect(await fishing({ FISH_API_KEY: context.alex.apiKey })).toBe(before - 1)
})

test('a catch waits longer as the limit approaches, and waits until the window ends if only the reserve remains', () => {
  const now = Date.UTC(2026, 0, 1)
  const pause = (remaining: number, resetMs = 240_000) =>
    sendDelayMs({ limit: 25, remaining, resetAt: new Date(now + resetMs) }, now)
  expect([sendDelayMs(undefined, now), pause(24), pause(18)]).toEqual([2000, 2000, 2000])
  expect([pause(17), pause(11), pause(10), pause(3)]).toEqual([30_000, 120_000, 240_000, 240_000])
  // If the clock is wrong, the wait is still between 2 s and 300 s.
  expect([pause(3, 86_400_000), pause(3, -86_400_000)]).toEqual([300_000, 2000])
})
