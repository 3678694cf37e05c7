import { untilAborted } from '../client/clock.ts'
import type { CrabInput, FishInput, PayloadEntry } from '../client/entries.ts'
import type { EncryptedCatches } from '../client/resources/encrypt-catches.ts'
import type { AddResult } from '../client/resources/send-catches.ts'
import type { OutboxClient } from './options.ts'
import type { Collection } from './store.ts'

// An outbox waits by itself, without a lease; the client only until its other calls make room.
const CLIENT_WAIT_MS = 5000

/** What work with a client came to: its errors are for the outbox to judge, not to throw. */
export type Attempt<T> = { readonly value: T } | { readonly error: unknown }

/** Tries. @throws the signal's reason, when that is why it failed */
export async function attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Attempt<T>> {
  try {
    return { value: await untilAborted(work, signal) }
  } catch (error) {
    signal.throwIfAborted()
    return { error }
  }
}

/** Encrypts catches that lie in a store. */
export function encryptWith(
  { fish, crabs }: OutboxClient,
  { kind, ...target }: Collection,
  entries: readonly PayloadEntry[],
): Promise<EncryptedCatches> {
  // They were checked as the input of their kind before they were stored.
  return kind === 'fish' ? fish.encrypt(entries as FishInput[], target) : crabs.encrypt(entries as CrabInput[], target)
}

/** Posts a token. */
export async function sendWith(
  { fish, crabs }: OutboxClient,
  frozen: EncryptedCatches,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<AddResult> {
  const options = { signal, deadlineMs, maxWaitMs: Math.min(CLIENT_WAIT_MS, deadlineMs) }
  return frozen.kind === 'fish' ? await fish.send(frozen, options) : await crabs.send(frozen, options)
}
