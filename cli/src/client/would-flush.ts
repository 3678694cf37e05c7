import type { RunIo } from '../core/run-io.ts'
import { type ServiceFlags, selection } from './open-client.ts'
import { checkPlayer, openIdleOutbox } from './open-outbox.ts'
import { waitingCatches } from './waiting-catches.ts'

/** What a flush would do. */
export interface WouldFlush {
  /** The service that it would be sent to. */
  readonly url: string
  /** How many catches of the player wait. */
  readonly catches: number
  /** How many of others do, which would stay. */
  readonly left: number
}

/**
 * Looks at what a flush would send, without a request, and makes no outbox where there is none.
 *
 * @throws CliError where the key is missing, and whatever else keeps the player's client from being made
 */
export async function wouldFlush(io: RunIo, flags: ServiceFlags, user: string): Promise<WouldFlush> {
  const url = selection(io, flags).url.value
  await checkPlayer(io, flags, { user })
  await using outbox = await openIdleOutbox(io, flags)
  if (!outbox) return { url, catches: 0, left: 0 }
  const { own, others } = await waitingCatches(outbox, user)
  return { url, catches: own, left: others }
}
