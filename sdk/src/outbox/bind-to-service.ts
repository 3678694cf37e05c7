import { OutboxStoreError } from './errors.ts'
import type { Emitter } from './events.ts'
import type { OutboxStore } from './store.ts'

/**
 * Binds a store to a service: what waits for one must never go to another.
 *
 * @throws OutboxStoreError `outbox_other_service` when it is bound to another one
 */
export async function bindToService(
  { store, emitter }: { readonly store: OutboxStore; readonly emitter: Emitter },
  service: string,
): Promise<void> {
  const { service: bound, adopted } = await store.bind(service)
  if (bound !== service) {
    throw new OutboxStoreError(
      'outbox_other_service',
      `The outbox holds catches for ${bound}, not for ${service}; nothing was changed.`,
      { hint: 'Open it with a client of that service, or choose another path.' },
    )
  }
  if (adopted) emitter.emit({ type: 'adopted', service })
}
