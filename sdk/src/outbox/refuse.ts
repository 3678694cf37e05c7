import { isFishCrabError } from '../errors/guards.ts'
import type { Batch, Delivery, DeliveryOutcome } from './delivery.ts'
import type { Holder, SetAsideReason } from './store.ts'
import { judge } from './verdict.ts'

/** Does with a batch that could not be sealed or sent what its error asks for. */
export async function refuse(
  { store, settings, emitter }: Delivery,
  holder: Holder,
  { collection, catches, fresh }: Batch,
  error: unknown,
): Promise<DeliveryOutcome> {
  const verdict = judge(error, { kind: collection.kind, fresh })
  const seqs = catches.map(({ seq }) => seq)
  if (verdict.type === 'renew') {
    await store.requeue(holder, seqs, catches[0]?.batchLimit)
    return { type: 'again' }
  }
  if (verdict.type === 'part' && seqs.length > 1) {
    await store.requeue(holder, seqs, Math.ceil(seqs.length / 2))
    return { type: 'again' }
  }
  if (verdict.type !== 'part' && verdict.type !== 'set-aside') return { type: 'failed', verdict, error }
  const reason = reasonOf(error)
  const which = verdict.type === 'part' ? seqs : 'all'
  const kept = await store.setAside(holder, which, reason, settings.now())
  if (!kept) return { type: 'again' }
  const notice = { collection, ...kept, reason }
  emitter.emit({ type: 'set-aside', ...notice })
  return { type: 'set-aside', notice }
}

function reasonOf(error: unknown): SetAsideReason {
  if (isFishCrabError(error)) return { code: error.code, message: error.message }
  return { code: 'unknown', message: 'It failed for an unknown reason.' }
}
