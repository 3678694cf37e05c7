import { firstBatch } from './batch.ts'
import type { Batch, Delivery, DeliveryOutcome } from './delivery.ts'
import type { OutboxClient } from './options.ts'
import { refuse } from './refuse.ts'
import { type Attempt, attempt, encryptWith, sendWith } from './send.ts'
import type { LeaseHolder, NextBatch } from './store.ts'

/**
 * Sends the next batch of a collection, under a lease: claim, take the frozen batch or seal one, send, acknowledge.
 * Every step is in the store before the next begins, so that a process that is killed anywhere leaves either queued
 * catches or a frozen batch, whose token is then sent again.
 *
 * @throws what the store throws, and the signal's reason.
 */
export async function deliverNext(
  delivery: Delivery,
  collection: string,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { store, settings, owner } = delivery
  const holder = { collection, owner }
  const lease = await store.claim({ ...holder, now: settings.now(), leaseMs: settings.leaseMs })
  if (!lease.granted) return { type: 'leased', until: lease.until }
  try {
    const head = await store.nextBatch(collection, settings.maxBatch)
    const batch = batchOf(head, settings.maxBatch)
    return batch ? await deliverBatch(delivery, holder, { head, batch, client, signal }) : { type: 'empty' }
  } finally {
    await store.release(holder)
  }
}

/** What {@link deliverBatch} is about. */
interface Job {
  readonly head: NextBatch
  readonly batch: Batch
  readonly client: OutboxClient
  readonly signal: AbortSignal
}

async function deliverBatch(delivery: Delivery, holder: LeaseHolder, job: Job): Promise<DeliveryOutcome> {
  const { store, settings, emitter } = delivery
  const { batch, client, signal } = job
  const { collection, fresh } = batch
  const count = batch.catches.length
  const frozen = await frozenBatch(delivery, holder, job)
  if ('error' in frozen) return refuse(delivery, holder, batch, frozen.error)
  // The lease ran out, and another process took it: what that one did is the truth.
  if (!frozen.value) return { type: 'again' }

  emitter.emit({ type: 'sending', collection, count, again: !fresh })
  const { id, token } = frozen.value
  const answer = await attempt(() => sendWith(client, { ...collection, token }, settings.leaseMs / 2, signal), signal)
  if ('error' in answer) return refuse(delivery, holder, batch, answer.error)
  await store.acknowledge(id)
  emitter.emit({ type: 'sent', collection, count, id: answer.value.id, replayed: answer.value.replayed })
  return { type: 'sent', count }
}

/** The token of a batch and its id in the store, where it is written down before anyone sends it. */
async function frozenBatch(
  { store }: Delivery,
  holder: LeaseHolder,
  { head, batch, client, signal }: Job,
): Promise<Attempt<{ readonly id: number; readonly token: string } | undefined>> {
  if (head.frozen) return { value: { id: head.frozen.batch, token: head.frozen.token } }
  const entries = batch.catches.map(({ entry }) => entry)
  const encrypting = await attempt(() => encryptWith(client, batch.collection, entries), signal)
  if ('error' in encrypting) return encrypting
  signal.throwIfAborted()
  const { token } = encrypting.value
  const seqs = batch.catches.map(({ seq }) => seq)
  const id = await store.freeze(holder, seqs, token)
  return { value: id === undefined ? undefined : { id, token } }
}

function batchOf({ frozen, catches }: NextBatch, maxBatch: number): Batch | undefined {
  const [first] = catches
  if (!first) return undefined
  const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
  if (frozen) return { collection, catches, fresh: false }
  return { collection, catches: firstBatch(catches, collection, maxBatch), fresh: true }
}
