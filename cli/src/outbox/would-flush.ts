import { existsSync } from 'node:fs'
import { userNameKey } from '@fish-crab/sdk/constants'
import type { RunIo } from '../run-io.ts'
import { playerKey } from '../secrets/player-key.ts'
import { clientFor, type ServiceFlags, selection } from '../service/client.ts'
import { openIdleOutbox } from './open-outbox.ts'
import { outboxPath } from './outbox-path.ts'

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
  const chosen = selection(io, flags)
  const url = chosen.url.value
  const fernetKey = await playerKey(io, { ...flags, 'no-input': true }, user)
  await clientFor(io, chosen, { user, fernetKey })
  if (!existsSync(outboxPath(io, url))) return { url, catches: 0, left: 0 }
  await using outbox = await openIdleOutbox(io, flags)
  const { collections } = await outbox.status()
  const count = (isOwn: boolean) =>
    collections
      .filter((one) => (userNameKey(one.user) === userNameKey(user)) === isOwn)
      .reduce((sum, { queued, sealed }) => sum + queued + sealed, 0)
  return { url, catches: count(true), left: count(false) }
}
