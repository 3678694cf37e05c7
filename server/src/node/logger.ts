import type { Writable } from 'node:stream'
import { pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Logger } from '../app/options.ts'
import { loggedError } from './log-error.ts'
import type { LogFormat } from './settings.ts'

/** Where the log goes, and whether that is a terminal that takes colours. */
export interface LogTarget {
  readonly stream: Writable
  readonly colours: boolean
}

/** A log that drops lines rather than let them pile up in memory. */
export interface BoundedLogger extends Logger {
  /** Lines dropped so far because nothing read the log fast enough. */
  readonly dropped: () => number
}

/** Most bytes that wait for a reader of the log; some 4,000 lines. */
const MOST_WAITING_BYTES = 1024 * 1024

/**
 * Makes the log: one JSON object a line, lines for people, or nothing. A line that finds 1 MiB waiting for a reader is
 * dropped; a warning with the number of dropped lines follows once half of that was read.
 */
export function createLogger(format: LogFormat, { stream, colours }: LogTarget): BoundedLogger {
  if (format === 'silent') return Object.assign(pino({ level: 'silent' }), { dropped: () => 0 })
  const toText =
    format === 'pretty' ? prettyFactory({ colorize: colours, translateTime: 'HH:MM:ss', singleLine: true }) : undefined
  let dropped = 0
  let reported = 0

  const report = () => {
    if (dropped === reported || stream.writableLength > MOST_WAITING_BYTES / 2) return
    const lines = dropped - reported
    reported = dropped
    logger.warn({ lines }, `${lines} log lines were dropped: whatever reads the log was too slow`)
  }
  const write = (line: string) => {
    report()
    if (stream.writableLength + line.length > MOST_WAITING_BYTES) dropped += 1
    else stream.write(toText?.(line) ?? line)
  }
  stream.on('drain', report)

  const options = {
    base: null,
    serializers: { err: (error: unknown) => loggedError(error) },
    ...(format === 'json' ? { timestamp: pino.stdTimeFunctions.isoTime } : {}),
  }
  const logger = pino(options, { write })
  return Object.assign(logger, { dropped: () => dropped })
}
