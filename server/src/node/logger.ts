import type { Writable } from 'node:stream'
import { pino } from 'pino'
import pretty from 'pino-pretty'
import type { Logger } from '../app/options.ts'
import { loggedError } from './log-error.ts'
import type { LogFormat } from './settings.ts'

/** Where the log goes, and whether that is a terminal that takes colours. */
export interface LogTarget {
  readonly stream: Writable
  readonly colours: boolean
}

/** Makes the log: one JSON object a line, lines for people, or nothing. */
export function createLogger(format: LogFormat, { stream, colours }: LogTarget): Logger {
  const options = { base: null, serializers: { err: (error: unknown) => loggedError(error) } }
  if (format === 'silent') return pino({ level: 'silent' })
  if (format === 'json') return pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  const lines = pretty({ colorize: colours, translateTime: 'HH:MM:ss', singleLine: true, destination: stream })
  return pino(options, lines)
}
