import { Writable } from 'node:stream'
import { createLogger } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { startTestServer } from './running.ts'

/** A stream whose reader has stalled until it is told to read. */
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

describe('the lines of requests', () => {
  function createRecordingStream() {
    const writes: string[] = []
    const stream = new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        writes.push(text)
        done()
      },
    })
    return { stream, writes }
  }

  it.each(['json', 'pretty'] as const)('of one turn are written together in %s', async (format) => {
    const { stream, writes } = createRecordingStream()
    const logger = createLogger(format, { stream, colours: false })
    for (const path of ['/one', '/two', '/three']) logger.info({ method: 'GET', path, status: 200, ms: 1 }, 'request')
    await expect.poll(() => writes).toHaveLength(1)
    expect(writes[0]?.match(/\/(?:one|two|three)/g)).toEqual(['/one', '/two', '/three'])
  })

  it('are written before any other line, which waits for nothing', () => {
    const { stream, writes } = createRecordingStream()
    const logger = createLogger('json', { stream, colours: false })
    logger.info({ path: '/one' }, 'request')
    logger.info({}, 'stopped')
    expect(writes.join('').match(/"msg":"\w+"/g)).toEqual(['"msg":"request"', '"msg":"stopped"'])
  })
})

describe('a log that nobody reads', () => {
  it.each(['json', 'pretty'] as const)(
    'keeps at most 1 MiB of %s waiting, and tells how many lines it dropped once it is read again',
    async (format) => {
      const { stream, lines, read } = createStalledStream()
      const logger = createLogger(format, { stream, colours: false })
      for (let line = 0; line < LINES; line += 1) logger.info({ line, filler: 'x'.repeat(100) }, 'line')
      expect(stream.writableLength).toBeLessThanOrEqual(1024 * 1024)
      const dropped = logger.dropped()
      expect(dropped).toBeGreaterThan(LINES / 2)

      read()
      await expect.poll(() => lines.at(-1)).toContain(`${dropped} log lines were dropped`)
      expect(lines).toHaveLength(LINES - dropped + 1)
      logger.info({}, 'after')
      expect(lines.at(-1)).toContain('after')
      expect(logger.dropped()).toBe(dropped)
      expect(lines.filter((line) => line.includes('were dropped'))).toHaveLength(1)
    },
  )

  it('keeps at most 1 MiB of requests waiting, also of those in one turn', async () => {
    const { stream, lines } = createStalledStream()
    const logger = createLogger('json', { stream, colours: false })
    for (let line = 0; line < LINES; line += 1) logger.info({ line, filler: 'x'.repeat(100) }, 'request')
    expect(logger.dropped()).toBeGreaterThan(LINES / 2)
    await expect.poll(() => lines).toHaveLength(1)
    expect(stream.writableLength).toBeLessThanOrEqual(1024 * 1024)
  })

  it('is counted in /metrics', async () => {
    const { stream } = createStalledStream()
    const logger = createLogger('json', { stream, colours: false })
    const { url } = await startTestServer({ FISH_ADMIN_PASSWORD: 'boss-password' }, { logger })
    const scrape = async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(/^fish_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
    }
    expect(await scrape()).toBe(0)
    for (let line = 0; line < LINES; line += 1) logger.info({ filler: 'x'.repeat(100) }, 'line')
    // The lines of the scrapes themselves find no room either.
    expect(await scrape()).toBeGreaterThanOrEqual(logger.dropped() - 1)
    expect(logger.dropped()).toBeGreaterThan(LINES / 2)
  })
})
