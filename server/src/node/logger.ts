import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { type LoggerOptions, pino, stdTimeFunctions } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Logger } from '../app/core/host.ts'
import { HttpError } from '../app/http/http-error.ts'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError } from '../storage/core/errors.ts'
import { SecretsError } from './secrets-file.ts'
import type { LogFormat } from './settings.ts'
import { startText } from './start-report.ts'

/** Destination of the log. */
export interface LogTarget {
  /** Receives one line per event. */
  readonly stream: Writable
  /** Whether the `pretty` log has colours. */
  readonly colours: boolean
}

/** A log that drops lines instead of buffering them without limit. */
export interface BoundedLogger extends Logger {
  /** Returns the number of lines dropped because the reader of the log was too slow. */
  readonly dropped: () => number
}

/** About 4,000 lines. Pino bounds only destinations that are file descriptors (`maxLength`). */
const MAX_WAITING_BYTES = 1024 * 1024

/** The end of the log line of a request. */
const REQUEST_END = '"msg":"request"}\n'

/** Creates the log. While 1 MiB waits for the reader, new lines are dropped. */
export function createLogger(format: LogFormat, { stream, colours }: LogTarget): BoundedLogger {
  const toText = format === 'pretty' ? prettyText(colours) : (line: string) => line
  let dropped = 0
  let pending = ''
  const flush = () => {
    if (pending !== '') stream.write(pending)
    pending = ''
  }
  /**
   * Requests of one turn of the event loop share one write, because a write to a pipe costs as much as all other work
   * for a line.
   */
  const write = (line: string) => {
    if (stream.writableLength + pending.length + line.length > MAX_WAITING_BYTES) {
      dropped += 1
      return
    }
    if (pending === '') setImmediate(flush)
    pending += toText(line)
    if (!line.endsWith(REQUEST_END)) flush()
  }
  const options: LoggerOptions = {
    base: null,
    level: format === 'silent' ? 'silent' : 'info',
    serializers: { err: (error: unknown) => describeError(error) },
    timestamp: format === 'json' ? createIsoTime() : stdTimeFunctions.epochTime,
  }
  return Object.assign(pino(options, { write }), { dropped: () => dropped })
}

/** Works like `isoTime` of pino, but formats each millisecond once. */
function createIsoTime(): () => string {
  let at: number | undefined
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
    at = now
    return text
  }
}

/** Formats lines in local time. Requests and the start have special formats. Every other entry is one line. */
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
  readonly code?: string
  readonly player?: string
  readonly gamemode?: string
}

function clockText(time: number): string {
  return `[${new Date(time).toTimeString().slice(0, 8)}]`
}

function requestText(fields: RequestFields, colours: boolean): string {
  const { time, requestId, method, path, status, ms, code, player, gamemode } = fields
  const style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const shown = colours ? styleText(style, String(status), { validateStream: false }) : status
  const reason = [code, player, gamemode, `request ${requestId}`].filter(Boolean).join(', ')
  return `${clockText(time)} ${method} ${path ?? 'unknown path'} ${shown} ${ms} ms${code ? ` (${reason})` : ''}\n`
}

interface LoggedError {
  readonly name: string
  readonly code?: string | number
  readonly message?: string
  readonly stack?: readonly string[]
  readonly cause?: LoggedError
}

const OWN = [HttpError, StorageError, DecryptionError, SecretsError]
const MAX_CAUSES = 4
const MAX_FRAMES = 12

/**
 * Reduces an error to the parts that may be logged. Messages and fields of errors from other code may quote secrets:
 * input (`JSON.parse`), arguments (Node) or commands (ioredis).
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
    ...(frames ? { stack: frames.slice(0, MAX_FRAMES).map((line) => line.trim()) } : {}),
    ...(cause === undefined || depth >= MAX_CAUSES ? {} : { cause: describeError(cause, depth + 1) }),
  }
}
