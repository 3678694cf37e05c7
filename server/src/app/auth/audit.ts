import type { AuditEntry } from '@fish-crab/sdk/contract'
import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import type { Exchange } from '../http/exchange.ts'
import { type RandomSource, uuidv7 } from '../ids.ts'

/** What can be read in the audit log. */
type AuditAction =
  | 'login'
  | 'key.read'
  | 'user.create'
  | 'user.delete'
  | 'user.reset.password'
  | 'user.reset.fernet'
  | 'user.reset.api-key'

/** The log of who did what, to whom, when and from where. */
export interface Audit {
  /** Settles once the entry is stored; rejects when it cannot be. */
  record(exchange: Exchange, actor: string, action: AuditAction, subject?: string): Promise<void>
}

const LAST_MOMENT = 2 ** 48 - 1

/** Makes the audit log. Its keys count down, so that a listing in the order of keys is newest first. */
export function createAudit(storage: FishStorage, clock: () => number, random: RandomSource): Audit {
  return {
    async record({ address, requestId }, actor, action, subject) {
      const now = clock()
      const id = uuidv7(now, random)
      const entry: AuditEntry = {
        id,
        at: new Date(now).toISOString(),
        actor,
        action,
        ...(subject === undefined ? {} : { subject }),
        address,
        requestId,
      }
      const age = (LAST_MOMENT - now).toString(16).padStart(12, '0')
      await storage.items.setItem(itemKey('audit', age, id), JSON.stringify(entry))
    },
  }
}
