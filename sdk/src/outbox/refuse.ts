import { FishCrabError } from '../errors/fish-crab-error.ts'
import { decide } from './decision.ts'
import type { Batch, Delivery, DeliveryOutcome } from './delivery.ts'
import type { DeadLetterReason, LeaseHolder } from './store.ts'

/** Does with a batch that could not be frozen or sent what its error asks for. */
export async function refuse(
  { store, settings, emitter }: Delivery,
  holder: LeaseHolder,
  { collection, catches, fresh }: Batch,
  error: unknown,
): Promise<DeliveryOutcome> {
  const decision = decide(error, { kind: collection.kind, fresh })
  const seqs = catches.map(({ seq }) => seq)
  if (decision.type === 'renew') {
    await store.requeue(holder, seqs, catches[0]?.batchLimit)
    return { type: 'again' }
  }
  if (decision.type === 'part' && seqs.length > 1) {
    await store.requeue(holder, seqs, Math.ceil(seqs.length / 2))
    return { type: 'again' }
  }
  if (decision.type !== 'part' && decision.type !== 'dead-letter') return { type: 'failed', decision, error }
  const reason = reasonOf(error)
  const which = decision.type === 'part' ? seqs : 'all'
  const kept = await store.addDeadLetter(holder, which, reason, settings.now())
  if (!kept) return { type: 'again' }
  const notice = { collection, ...kept, reason }
  emitter.emit({ type: 'dead-letter', ...notice })
  return { type: 'dead-letter', notice }
}

function reasonOf(error: unknown): DeadLetterReason {
  if (error instanceof FishCrabError) return { code: error.code, message: error.message }
  return { code: 'unknown', message: 'It failed for an unknown reason.' }
}
