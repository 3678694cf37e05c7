import type { AuditAction, AuditEntry, AuditPage } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import { type RandomSource, uuidv7 } from '../core/ids.ts'
import type { RequestContext } from '../http/context.ts'
import type { Cursors } from '../http/cursors.ts'
import { AUDIT_BASE, auditKey } from '../store/item-keys.ts'

export type Audit = ReturnType<typeof createAudit>

const LISTING = 'audit'

/** Creates the function that records an action before it runs: some recorded ones may have failed. */
export function createAuditRecorder(storage: FishStorage, clock: () => number, random: RandomSource) {
  return async (
    { address, requestId }: Pick<RequestContext, 'address' | 'requestId'>,
    actor: string,
    action: AuditAction,
    subject?: string,
  ): Promise<void> => {
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

/** The log of who did what, to whom, when and from where. */
export function createAudit(storage: FishStorage, cursors: Cursors, clock: () => number, random: RandomSource) {
  return {
    record: createAuditRecorder(storage, clock, random),

    async list({ limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<AuditPage> {
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
