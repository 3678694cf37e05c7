import type { Transport } from '../../client/transport.ts'
import type { Doubt } from '../once.ts'

/** The ways an administrator's requests are sent, each with the session. */
export interface AdminContext {
  /** For reads: tried again as the options say. */
  readonly read: Transport
  /** For deletions: tried again, and done when a further try finds nothing left. */
  readonly remove: Transport
  /** For writes that must not happen twice: sent once. */
  once(doubt: Doubt): Transport
}
