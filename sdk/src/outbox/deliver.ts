import { firstBatch } from './batch.ts'
import type { Batch, Delivery, DeliveryOutcome } from './delivery.ts'
import type { OutboxClient } from './options.ts'
import { refuse } from './refuse.ts'
import { type Attempt, attempt, sealWith, sendWith } from './send.ts'
import type { Head, Holder } from './store.ts'

/**
 * Sends the next batch of a collection, under a lease: claim, take the sealed batch or seal one, send, acknowledge.
 * Every step is in the store before the next begins, so that a process that is killed anywhere leaves either queued
 * catches or a sealed batch, whose token is then sent again.
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
    const head = await store.head(collection, settings.maxBatch)
    const batch = batchOf(head, settings.maxBatch)
    return batch ? await deliverBatch(delivery, holder, { head, batch, client, signal }) : { type: 'empty' }
  } finally {
    await store.release(holder)
  }
}

/** What {@link deliverBatch} is about. */
interface Job {
  readonly head: Head
  readonly batch: Batch
  readonly client: OutboxClient
  readonly signal: AbortSignal
}

async function deliverBatch(delivery: Delivery, holder: Holder, job: Job): Promise<DeliveryOutcome> {
  const { store, settings, emitter } = delivery
  const { batch, client, signal } = job
  const { collection, fresh } = batch
  const count = batch.catches.length
  const sealed = await sealedBatch(delivery, holder, job)
  if ('error' in sealed) return refuse(delivery, holder, batch, sealed.error)
  // The lease ran out, and another process took it: what that one did is the truth.
  if (!sealed.value) return { type: 'again' }

  emitter.emit({ type: 'sending', collection, count, again: !fresh })
  const { id, token } = sealed.value
  const answer = await attempt(() => sendWith(client, { ...collection, token }, settings.leaseMs / 2, signal), signal)
  if ('error' in answer) return refuse(delivery, holder, batch, answer.error)
  await store.acknowledge(id)
  emitter.emit({ type: 'sent', collection, count, id: answer.value.id, replayed: answer.value.replayed })
  return { type: 'sent', count }
}

/** The token of a batch and its id in the store, where it is written down before anyone sends it. */
async function sealedBatch(
  { store }: Delivery,
  holder: Holder,
  { head, batch, client, signal }: Job,
): Promise<Attempt<{ readonly id: number; readonly token: string } | undefined>> {
  if (head.sealed) return { value: { id: head.sealed.batch, token: head.sealed.token } }
  const entries = batch.catches.map(({ entry }) => entry)
  const sealing = await attempt(() => sealWith(client, batch.collection, entries), signal)
  if ('error' in sealing) return sealing
  signal.throwIfAborted()
  const { token } = sealing.value
  const seqs = batch.catches.map(({ seq }) => seq)
  const id = await store.seal(holder, seqs, token)
  return { value: id === undefined ? undefined : { id, token } }
}

function batchOf({ sealed, catches }: Head, maxBatch: number): Batch | undefined {
  const [first] = catches
  if (!first) return undefined
  const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
  if (sealed) return { collection, catches, fresh: false }
  return { collection, catches: firstBatch(catches, collection, maxBatch), fresh: true }
}
