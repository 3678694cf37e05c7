import { isFishCrabError, isRateLimitError } from '@fish-crab/sdk'
import type { Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { waitsTold } from '../client/flush.ts'
import type { RunIo } from '../core/run-io.ts'

/** Tells on stderr what becomes of what was queued: what cannot be sent is told once, until something is sent again. */
export function tellDelivery(io: RunIo, outbox: Outbox): () => void {
  const wait = waitsTold(io)
  let trouble = ''
  return outbox.subscribe((event: OutboxEvent) => {
    wait(event)
    if (event.type === 'sent') trouble = ''
    if (event.type === 'set-aside') {
      io.line.say(`fish-cli: ${event.count} could not be stored: ${event.reason.message} See: fish-cli outbox status`)
    }
    if (event.type !== 'error' || isRateLimitError(event.error)) return
    const { code, summary } = isFishCrabError(event.error)
      ? event.error
      : { code: 'unknown', summary: 'Sending failed.' }
    if (trouble === code) return
    trouble = code
    io.line.say(`fish-cli: ${summary} Catches stay queued, and are sent as soon as that is over.`)
  })
}
