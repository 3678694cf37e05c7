import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Logger } from '../app/core/host.ts'
import { HttpError } from '../app/http/http-error.ts'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError } from '../storage/errors.ts'
import { SecretsError } from './secrets-file.ts'
import type { LogFormat } from './settings.ts'
import { startText } from './start-report.ts'

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
  const toText = format === 'pretty' ? prettyText(colours) : undefined
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
    serializers: { err: (error: unknown) => describeError(error) },
    ...(format === 'json' ? { timestamp: pino.stdTimeFunctions.isoTime } : {}),
  }
  const logger = pino(options, { write })
  return Object.assign(logger, { dropped: () => dropped })
}

/**
 * Makes text for people of lines of the log, in local time: of a request what tells one from another, of the start some
 * lines, else all in one.
 */
function prettyText(colours: boolean): (line: string) => string {
  const pretty = prettyFactory({ colorize: colours, translateTime: 'SYS:HH:MM:ss', singleLine: true })
  return (line) => {
    const fields = JSON.parse(line)
    if (fields.msg === 'request') return requestText(fields, colours)
    return fields.msg === 'ready' ? `${clockText(fields.time)} ${startText(fields)}` : pretty(fields)
  }
}

interface RequestFields {
  readonly time: number
  readonly requestId: string
  readonly method: string
  readonly path?: string
  readonly status: number
  readonly ms: number
}

function clockText(time: number): string {
  return `[${new Date(time).toTimeString().slice(0, 8)}]`
}

function requestText({ time, requestId, method, path, status, ms }: RequestFields, colours: boolean): string {
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const shown = colours ? styleText(style, String(status), { validateStream: false }) : status
  const id = status >= 400 ? ` (request ${requestId})` : ''
  return `${clockText(time)} ${method} ${path ?? 'unknown path'} ${shown} ${ms} ms${id}\n`
}

/** An error as it stands in the log. */
interface LoggedError {
  readonly name: string
  readonly code?: string | number
  /** Absent where it was written by others. */
  readonly message?: string
  /** The frames, without the message that a stack begins with. */
  readonly stack?: readonly string[]
  readonly cause?: LoggedError
}

const OWN = [HttpError, StorageError, DecryptionError, SecretsError]
const MOST_CAUSES = 4
const MOST_FRAMES = 12

/**
 * What may be logged of an error. Only the messages of the service's own errors are known to quote nothing: those of
 * others repeat input (`JSON.parse`), arguments (Node) or commands (ioredis), and carry them as fields.
 */
function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error }
  const { cause, stack } = error
  const { code } = error as { readonly code?: unknown }
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(OWN.some((type) => error instanceof type) ? { message: error.message } : {}),
    ...(frames ? { stack: frames.slice(0, MOST_FRAMES).map((line) => line.trim()) } : {}),
    ...(cause === undefined || depth >= MOST_CAUSES ? {} : { cause: describeError(cause, depth + 1) }),
  }
}
