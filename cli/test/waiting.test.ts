import { PassThrough } from 'node:stream'
import type { Clock } from '@fish-crab/sdk'
import { describe, expect, test } from 'vitest'
import { countdownHooks } from '../src/session/client.ts'
import { createCountdown, createProgress } from '../src/terminal/progress.ts'
import { createStatusLine } from '../src/terminal/status-line.ts'

const ERASE = '\r\u{1b}[J'
const LINE = { begin: `${ERASE}\u{1b}[?7l`, end: '\u{1b}[?7h\r' }

/** A clock that advances only when the test moves it, and that records sleeps. */
function stillClock() {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      }),
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    clock,
    sleepers,
    async pass(ms: number) {
      now += ms
      for (const sleeper of [...sleepers]) {
        if (sleeper.at > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await settled()
    },
  }
}

function scene(terminal: boolean, columns = 80) {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns, rows: 24 })
  const written: string[] = []
  stream.on('data', (piece: Buffer) => written.push(piece.toString()))
  const line = createStatusLine({ env: {}, stderr: stream })
  return { line, written, stream, ...stillClock() }
}

const GET = { method: 'GET', path: '/get/fish' }

describe('the countdown', () => {
  test('rewrites one line each second on a terminal, and removes the line after the wait', async () => {
    const { line, written, clock, pass, sleepers } = scene(true)
    const hooks = countdownHooks({ countdown: () => createCountdown(line, clock) }, clock.now)
    hooks.onWait?.({ ...GET, waitMs: 61_500, resumesAt: new Date(clock.now() + 61_500) })
    await pass(500)
    await pass(1000)
    expect(written).toEqual([
      `${LINE.begin}Rate limited. Retrying in 1:02 (Ctrl-C to cancel).${LINE.end}`,
      `${LINE.begin}Rate limited. Retrying in 1:01 (Ctrl-C to cancel).${LINE.end}`,
      `${LINE.begin}Rate limited. Retrying in 1:00 (Ctrl-C to cancel).${LINE.end}`,
    ])
    hooks.onRequest?.({ ...GET, attempt: 1 })
    expect(written.at(-1)).toBe(ERASE)
    expect(sleepers.size).toBe(0)
    await pass(1000)
    expect(written).toHaveLength(4)
  })

  test('restarts when the end of the wait moves, and is not shown for waits below one second', async () => {
    const { line, written, clock, pass, sleepers } = scene(true)
    const { onWait } = countdownHooks({ countdown: () => createCountdown(line, clock) }, clock.now)
    onWait?.({ ...GET, waitMs: 900, resumesAt: new Date(clock.now() + 900) })
    expect(written).toEqual([])
    onWait?.({ ...GET, waitMs: 5000, resumesAt: new Date(clock.now() + 5000) })
    onWait?.({ ...GET, waitMs: 9000, resumesAt: new Date(clock.now() + 9000) })
    await pass(0)
    expect(sleepers.size).toBe(1)
    expect(written.at(-1)).toContain('Retrying in 9 s')
  })

  test('is one plain line if stderr is not a terminal, even if many calls wait', () => {
    const { line, written, clock } = scene(false)
    const { onWait, onRequest } = countdownHooks({ countdown: () => createCountdown(line, clock) }, clock.now)
    for (let call = 0; call < 20; call += 1) {
      onWait?.({ ...GET, waitMs: 300_000, resumesAt: new Date(clock.now() + 300_000 + call) })
    }
    onRequest?.({ ...GET, attempt: 1 })
    expect(written).toEqual(['fish-cli: Rate limited. Retrying in 5:00 (Ctrl-C to cancel).\n'])
  })

  test('shows the reason for a retry', () => {
    const { line, written, clock } = scene(false)
    const { onRetry } = countdownHooks({ countdown: () => createCountdown(line, clock) }, clock.now)
    onRetry?.({ ...GET, attempt: 1, status: 503, code: 'unavailable', waitMs: 2000 })
    expect(written).toEqual(['fish-cli: The service responded 503. Retrying in 2 s (Ctrl-C to cancel).\n'])
  })

  test('ends with the run, and leaves no timer and no line', () => {
    const { line, written, clock, sleepers } = scene(true)
    countdownHooks({ countdown: () => createCountdown(line, clock) }, clock.now).onWait?.({
      ...GET,
      waitMs: 9000,
      resumesAt: new Date(clock.now() + 9000),
    })
    line.end()
    expect(sleepers.size).toBe(0)
    expect(written.at(-1)).toBe(ERASE)
  })

  test('is redrawn immediately when the terminal is resized', () => {
    const { line, written, stream } = scene(true)
    line.set('part', 'x'.repeat(100))
    expect(written.at(-1)).toBe(`${LINE.begin}${'x'.repeat(78)}…${LINE.end}`)
    stream.columns = 40
    stream.emit('resize')
    expect(written.at(-1)).toBe(`${LINE.begin}${'x'.repeat(38)}…${LINE.end}`)
    line.end()
    stream.emit('resize')
    expect(written).toHaveLength(3)
    expect(stream.listenerCount('resize')).toBe(0)
  })
})

describe('the progress of long work', () => {
  test('is a bar on a terminal, and messages are printed above the bar', async () => {
    const { line, written, clock, pass } = scene(true)
    const progress = createProgress(line, clock, { unit: 'catches', total: 200 })
    await pass(1000)
    progress.update(50)
    expect(written.at(-1)).toBe(
      `${LINE.begin}[#####---------------] 50 of 200 catches (25 %), 50 a second, about 3 s left${LINE.end}`,
    )
    progress.update(51)
    expect(written).toHaveLength(1)
    line.say('A line.')
    expect(written.slice(1)).toEqual([ERASE, 'A line.\n', written[0]])
    progress.update(200)
    expect(written.at(-1)).toContain('200 of 200 catches (100 %)')
    progress.end()
    progress.update(200)
    expect(written.at(-1)).toBe(ERASE)
  })

  test('never fills the last cell of a narrow terminal', () => {
    const { line, written, clock } = scene(true, 40)
    createProgress(line, clock, { unit: 'catches', total: 200 }).update(50)
    const text = (written[0] ?? '').slice(LINE.begin.length, -LINE.end.length)
    expect(text).toMatch(/^\[#####-{15}\] 50 of 200.*…$/)
    expect(text).toHaveLength(39)
  })

  test('is a plain line every ten seconds if stderr is not a terminal', async () => {
    const { line, written, clock, pass } = scene(false)
    const progress = createProgress(line, clock, { unit: 'catches', total: 1000 })
    for (let done = 0; done <= 250; done += 10) {
      progress.update(done)
      await pass(1000)
    }
    expect(written).toEqual([
      'fish-cli: 100 of 1000 catches (10 %), 10 a second, about 1:30 left\n',
      'fish-cli: 200 of 1000 catches (20 %), 10 a second, about 1:20 left\n',
    ])
  })
})
