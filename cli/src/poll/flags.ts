import { Flags } from '@oclif/core'
import { usageError } from '../core/errors.ts'

// Uses 20 of the 25 requests of a window; five are left to other commands.
const DEFAULT_SECONDS = 15

/** `--watch` and `--interval`. */
export const watchFlags = {
  watch: Flags.boolean({ char: 'w', summary: 'Keep polling and show what changes; Ctrl-C to stop.' }),
  interval: Flags.string({
    summary: `Seconds between two polls with --watch (default ${DEFAULT_SECONDS}); longer when the rate limit requires it.`,
    helpValue: 'SECONDS',
  }),
}

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
  if (interval === undefined) return DEFAULT_SECONDS * 1000
  if (!watch) throw usageError('--interval requires --watch.', 'Add --watch, or leave --interval out.')
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(interval) ? Number(interval) : Number.NaN
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1000
  throw usageError(`--interval must be seconds from 1 to ${MAX_SECONDS}.`)
}
