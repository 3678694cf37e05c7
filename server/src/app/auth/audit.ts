import type { AuditAction, AuditEntry, AuditPage } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import type { RequestContext } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { AUDIT_BASE, auditKey } from '../store/item-keys.ts'

/** The log of who did what, to whom, when and from where. */
export interface Audit {
  /**
   * Stores an entry. Called before the action: every action is recorded, and some recorded ones may have failed.
   */
  record(
    from: Pick<RequestContext, 'address' | 'requestId'>,
    actor: string,
    action: AuditAction,
    subject?: string,
  ): Promise<void>
  list(page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<AuditPage>
}
const LISTING = 'audit'

export function createAuditRecorder(storage: FishStorage, clock: () => number, random: RandomSource): Audit['record'] {
  return async ({ address, requestId }, actor, action, subject) => {
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
    await storage.items.setItem(auditKey(entry), JSON.stringify(entry))
  }
}

export function createAudit(storage: FishStorage, cursors: Cursors, clock: () => number, random: RandomSource): Audit {
  return {
    record: createAuditRecorder(storage, clock, random),

    async list({ limit, cursor }) {
      const position = cursor === undefined ? undefined : await cursors.verify(cursor, LISTING)
      const { items, next } = await storage.listItems({
        base: AUDIT_BASE,
        limit,
        ...(position === undefined ? {} : { after: `${AUDIT_BASE}${position}` }),
      })
      const entries = items.map(({ value }) => JSON.parse(value) as AuditEntry)
      if (next === undefined) return { entries }
      return { entries, nextCursor: await cursors.sign(next.slice(AUDIT_BASE.length), LISTING) }
    },
  }
}
