import { Flags } from '@oclif/core'
import { usageError } from '../core/errors.ts'

/** At this pace, 20 of the 25 requests of a window are used, and five are left to other commands. */
const USUAL_SECONDS = 15

/** `--watch` and `--interval`. */
export const watchFlags = {
  watch: Flags.boolean({ char: 'w', summary: 'Go on looking, and show what changes; Ctrl-C ends it.' }),
  interval: Flags.string({
    summary: `Seconds from one look to the next with --watch; ${USUAL_SECONDS} when left out, and more where the rate limit asks for it.`,
    helpValue: 'SECONDS',
  }),
}

/** What a person typed of them. */
export interface WatchFlags {
  readonly watch?: boolean | undefined
  readonly interval?: string | undefined
}

const MOST_SECONDS = 86_400

/**
 * Milliseconds from one look to the next, 15 s when nothing else is asked for.
 * @throws CliError when it is no number of seconds, or there is nothing to look at again
 */
export function parseInterval({ watch, interval }: WatchFlags): number {
  if (interval === undefined) return USUAL_SECONDS * 1000
  if (!watch) throw usageError('--interval goes with --watch.', 'Add --watch, or leave --interval out.')
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(interval) ? Number(interval) : Number.NaN
  if (seconds >= 1 && seconds <= MOST_SECONDS) return seconds * 1000
  throw usageError(`--interval must be seconds, 1 to ${MOST_SECONDS}.`)
}
