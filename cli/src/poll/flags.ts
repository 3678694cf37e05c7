import { usageError } from '../core/errors.ts'

// Uses 20 of the 25 requests of a window; five are left to other commands.
export const DEFAULT_INTERVAL_SECONDS = 15

interface WatchFlags {
  readonly watch?: boolean | undefined
  readonly interval?: string | undefined
}

const MAX_SECONDS = 86_400

/**
 * The interval in milliseconds.
 *
 * @throws CliError for an invalid number of seconds, or without `--watch`
 */
export function parseInterval({ watch, interval }: WatchFlags): number {
  if (interval === undefined) return DEFAULT_INTERVAL_SECONDS * 1000
  if (!watch) throw usageError('--interval requires --watch.', 'Add --watch, or remove --interval.')
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(interval) ? Number(interval) : Number.NaN
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1000
  throw usageError(`--interval must be seconds from 1 to ${MAX_SECONDS}.`)
}
