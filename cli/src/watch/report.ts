import { FishCrabError, type RarityLabel, RateLimitError, type RateLimitState } from '@fish-crab/sdk'
import { LIMITS } from '@fish-crab/sdk/constants'
import type { Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { createWaitListener } from '../client/flush.ts'
import type { Context } from '../core/context.ts'
import { timeOfDay } from '../core/time.ts'
import { type Colours, paint, rarityStyle } from '../output/screen.ts'
import { jsonText, printable } from '../output/text.ts'
import type { HeldCatch, RecordedCatch } from './recorder.ts'

/** What was caught since `watch` began. */
export interface Totals {
  readonly fish: number
  readonly crabs: number
}

/** Totals with one catch more. */
export function withCatch({ fish, crabs }: Totals, { kind }: Pick<RecordedCatch, 'kind'>): Totals {
  return kind === 'fish' ? { fish: fish + 1, crabs } : { fish, crabs: crabs + 1 }
}

/** Totals in words. @example totalsText({ fish: 12, crabs: 1 }) // '12 fish, 1 crab' */
export function totalsText({ fish, crabs }: Totals): string {
  return `${fish} fish, ${crabs} ${crabs === 1 ? 'crab' : 'crabs'}`
}

/** A catch as a line for people, with the totals that it makes. */
export function catchText(one: RecordedCatch, totals: Totals, colours: Colours): string {
  const { rarity: label = '' } = one
  const style = rarityStyle(label as RarityLabel)
  const rarity = style === undefined ? label : paint(style, label, colours)
  const details = [
    rarity,
    one.lengthCm === undefined ? '' : `${one.lengthCm} cm`,
    one.firstTime ? 'first of its sort' : '',
    one.byAugment ? 'by augment' : '',
    one.gamemode,
  ]
  return `${timeOfDay(Date.parse(one.caughtAt))}  ${printable(one.name)}  ${details.filter((part) => part !== '').join(', ')}  (${totalsText(totals)})`
}

/** A catch as a line of JSON, with the totals that it makes; one that is held back makes none. */
export function catchJson(one: RecordedCatch | HeldCatch, totals: Totals): string {
  return jsonText({ ...one, totals })
}

/** Tells on stderr what becomes of what was queued: what cannot be sent is told once, until something is sent again. */
export function reportDelivery(context: Context, outbox: Outbox): () => void {
  const wait = createWaitListener(context)
  let trouble = ''
  return outbox.subscribe((event: OutboxEvent) => {
    wait(event)
    if (event.type === 'sent') trouble = ''
    if (event.type === 'dead-letter') {
      context.line.say(
        `fish-cli: ${event.count} could not be stored: ${event.reason.message} See: fish-cli outbox status`,
      )
    }
    if (event.type !== 'error' || event.error instanceof RateLimitError) return
    const { code, summary } =
      event.error instanceof FishCrabError ? event.error : { code: 'unknown', summary: 'Sending failed.' }
    if (trouble === code) return
    trouble = code
    context.line.say(`fish-cli: ${summary} Catches stay queued, and are sent as soon as that is over.`)
  })
}

const USUAL_MS = 2000
/** The part of a window that is left to whatever else the player does. */
const RESERVE = 0.4

/**
 * Milliseconds that a catch waits for others to be sent with it: the usual while at least half of what may be used of
 * the window is left, then so long that the rest lasts until its end, and until that end where only the reserve is left.
 *
 * @param state What the service said last; nothing where the limit does not hold, as with an API key.
 */
export function sendDelayMs(state: RateLimitState | undefined, now: number): number {
  if (!state) return USUAL_MS
  const { limit, remaining, resetAt } = state
  // However wrong this clock is, no window is longer.
  const restMs = Math.min(Math.max(resetAt.getTime() - now, 0), LIMITS.windowSeconds * 1000)
  const reserve = Math.ceil(limit * RESERVE)
  const ours = remaining - reserve
  if (ours >= (limit - reserve) / 2) return USUAL_MS
  return Math.max(USUAL_MS, Math.ceil(restMs / Math.max(1, ours + 1)))
}
