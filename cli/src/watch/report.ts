import { FishCrabError, type RarityLabel, RateLimitError, type RateLimitState } from '@fish-crab/sdk'
import { LIMITS } from '@fish-crab/sdk/constants'
import type { Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { createWaitListener } from '../client/flush.ts'
import type { Context } from '../core/context.ts'
import { timeOfDay } from '../core/time.ts'
import { type Colours, paint, rarityStyle } from '../output/screen.ts'
import { jsonText, printable } from '../output/text.ts'
import type { HeldCatch, RecordedCatch } from './recorder.ts'

/** Number of catches since `watch` started. */
export interface Totals {
  readonly fish: number
  readonly crabs: number
}

/** Adds a catch to the totals. */
export function withCatch({ fish, crabs }: Totals, { kind }: Pick<RecordedCatch, 'kind'>): Totals {
  return kind === 'fish' ? { fish: fish + 1, crabs } : { fish, crabs: crabs + 1 }
}

/** @example totalsText({ fish: 12, crabs: 1 }) // '12 fish, 1 crab' */
export function totalsText({ fish, crabs }: Totals): string {
  return `${fish} fish, ${crabs} ${crabs === 1 ? 'crab' : 'crabs'}`
}

/** Formats a catch as a line of text, with the totals after it. */
export function catchText(one: RecordedCatch, totals: Totals, colours: Colours): string {
  const { rarity: label = '' } = one
  const style = rarityStyle(label as RarityLabel)
  const rarity = style === undefined ? label : paint(style, label, colours)
  const details = [
    rarity,
    one.lengthCm === undefined ? '' : `${one.lengthCm} cm`,
    one.firstTime ? 'first of its kind' : '',
    one.byAugment ? 'by augment' : '',
    one.gamemode,
  ]
  return `${timeOfDay(Date.parse(one.caughtAt))}  ${printable(one.name)}  ${details.filter((part) => part !== '').join(', ')}  (${totalsText(totals)})`
}

/** Formats a catch as a line of JSON, with the totals after it. */
export function catchJson(one: RecordedCatch | HeldCatch, totals: Totals): string {
  return jsonText({ ...one, totals })
}

/** Reports the delivery on stderr. A problem is reported once, until something is sent again. */
export function reportDelivery(context: Context, outbox: Outbox): () => void {
  const wait = createWaitListener(context)
  let reported = ''
  return outbox.subscribe((event: OutboxEvent) => {
    wait(event)
    if (event.type === 'sent') reported = ''
    if (event.type === 'dead-letter') {
      context.line.say(
        `fish-cli: ${event.count} could not be stored: ${event.reason.message} See: fish-cli outbox status`,
      )
    }
    if (event.type !== 'error' || event.error instanceof RateLimitError) return
    const { code, summary } =
      event.error instanceof FishCrabError ? event.error : { code: 'unknown', summary: 'Sending failed.' }
    if (reported === code) return
    reported = code
    context.line.say(`fish-cli: ${summary} Catches stay queued and are sent once that is over.`)
  })
}

const DEFAULT_MS = 2000
// Part of a window that is left to other commands of the player.
const RESERVE = 0.4

/**
 * How long a catch waits for others to be sent with it, in milliseconds: the default while at least half of the available
 * requests are left, then long enough for the rest to last until the window ends.
 *
 * @param state The last reported rate limit; absent with an API key
 */
export function sendDelayMs(state: RateLimitState | undefined, now: number): number {
  if (!state) return DEFAULT_MS
  const { limit, remaining, resetAt } = state
  // A wrong local clock must not make the window longer.
  const restMs = Math.min(Math.max(resetAt.getTime() - now, 0), LIMITS.windowSeconds * 1000)
  const reserve = Math.ceil(limit * RESERVE)
  const available = remaining - reserve
  if (available >= (limit - reserve) / 2) return DEFAULT_MS
  return Math.max(DEFAULT_MS, Math.ceil(restMs / Math.max(1, available + 1)))
}
