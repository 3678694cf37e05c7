import type { Gamemode } from '@fish-crab/sdk'
import { type Outbox, openOutbox } from '@fish-crab/sdk/outbox'
import type { RunIo } from '../run-io.ts'
import { playerKey } from '../secrets/player-key.ts'
import { clientFor, type ServiceFlags, selection } from '../service/client.ts'
import { outboxPath } from './outbox-path.ts'

/** Whose catches an outbox sends. */
export interface PlayerOutboxOptions {
  readonly user: string
  /** That of catches which name none. */
  readonly gamemode?: Gamemode | undefined
}

/** The outbox of the selected service, with what sends one player's catches. Others' catches stay in it. */
export async function openPlayerOutbox(
  io: RunIo,
  flags: ServiceFlags & { readonly 'no-input'?: boolean | undefined },
  { user, gamemode }: PlayerOutboxOptions,
): Promise<Outbox> {
  const chosen = selection(io, flags)
  const fernetKey = await playerKey(io, flags, user)
  // The outbox tries again by itself.
  const client = await clientFor(io, chosen, { user, gamemode, fernetKey, maxRetries: 0 })
  return openOutbox({ client, user, gamemode, path: outboxPath(io, chosen.url.value), clock: io.clock })
}

/** The outbox of the selected service, for looking into it: it sends nothing and needs no key. */
export async function openIdleOutbox(io: RunIo, flags: ServiceFlags): Promise<Outbox> {
  return openOutbox({ path: outboxPath(io, selection(io, flags).url.value), clock: io.clock })
}
