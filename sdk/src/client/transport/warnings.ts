import { platform } from '#platform'
import { notify, type WaitEvent } from '../core/hooks.ts'
import type { Settings } from '../core/options.ts'

/** A program that prints nothing for longer than this time seems to hang. */
const LONGEST_SILENCE_MS = 5000

/** Creates the warnings of one client. Each warning is emitted at most once. */
export function createWarnings({ logger, hasOnWait, baseUrl }: Settings) {
  const emitted = new Set<string>()
  const warn = (code: string, message: string) => {
    if (emitted.has(code)) return
    emitted.add(code)
    if (logger) notify(() => logger.warn(message, { code }), undefined)
    else platform.warn(message, code)
  }
  return {
    waiting({ method, path, waitMs, resumesAt }: WaitEvent): void {
      if (hasOnWait || waitMs <= LONGEST_SILENCE_MS) return
      const advice = 'Later waits are silent: pass onWait, or an apiKey.'
      warn('FISH_CRAB_WAITS', `${method} ${path} waits for the rate limit until ${resumesAt.toISOString()}. ${advice}`)
    },
    unknownApiKey(): void {
      warn('FISH_CRAB_UNKNOWN_API_KEY', `${baseUrl} does not know this apiKey: the rate limit applies.`)
    },
  }
}
