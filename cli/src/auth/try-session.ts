import { isAuthenticationError } from '@fish-crab/sdk'
import type { Selection } from '../config/selection.ts'
import type { RunIo } from '../core/run-io.ts'
import { adminClient } from './administrator.ts'
import type { KeptSession } from './contents.ts'

/** What became of an administrator's session: the service takes it, does not, or it is over by this machine's clock. */
export type SessionTrial = 'accepted' | 'refused' | 'over'

/** Asks the service whether a kept session is open. @throws ConnectionError and others of the client */
export async function trySession(
  io: RunIo,
  chosen: Pick<Selection, 'url'>,
  { token, expiresAt }: KeptSession,
  signal: AbortSignal,
): Promise<SessionTrial> {
  if (Date.parse(expiresAt) <= io.clock.now()) return 'over'
  const admin = await adminClient(io, chosen, { token })
  try {
    await admin.me({ signal })
    return 'accepted'
  } catch (error) {
    if (isAuthenticationError(error)) return 'refused'
    throw error
  }
}
