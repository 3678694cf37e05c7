import { Writable } from 'node:stream'
import { createLogger } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { startTestServer } from './running.ts'

/** A stream whose reader stalls until the test calls `read`. */
function createStalledStream() {
  const lines: string[] = []
  let waiting: (() => void) | undefined
  let isStalled = true
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      lines.push(text)
      if (isStalled) waiting = done
      else done()
    },
  })
  const read = () => {
    isStalled = false
    waiting?.()
  }
  return { stream, lines, read }
}

const LINES = 20_000

describe('a log whose reader stalls', () => {
  it.each(['json', 'pretty'] as const)(
    'buffers at most 1 MiB of %s, and drops further lines until the reader continues',
    (format) => {
      const { stream, lines, read } = createStalledStream()
      const logger = createLogger(format, { stream, colours: false })
      for (let line = 0; line < LINES; line += 1) logger.info({ line, filler: 'x'.repeat(100) }, 'line')
      expect(stream.writableLength).toBeLessThanOrEqual(1024 * 1024)
      const dropped = logger.dropped()
      expect(dropped).toBeGreaterThan(LINES / 2)

      read()
      return expect.poll(() => lines.length).toBe(LINES - dropped)
    },
  )

  it('causes dropped lines, which /metrics counts', async () => {
    const { stream } = createStalledStream()
    const logger = createLogger('json', { stream, colours: false })
    const { url } = await startTestServer({ FISH_ADMIN_PASSWORD: 'boss-password' }, { logger })
    const scrape = async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(/^fish_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
    }
    expect(await scrape()).toBe(0)
    for (let line = 0; line < LINES; line += 1) logger.info({ filler: 'x'.repeat(100) }, 'line')
    // The log lines of the scrapes are also dropped.
    expect(await scrape()).toBeGreaterThanOrEqual(logger.dropped() - 1)
    expect(logger.dropped()).toBeGreaterThan(LINES / 2)
  })
})
