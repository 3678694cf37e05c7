import { type Client, watchCatches } from '@fish-crab/sdk'
import type { Listener, Stream } from './follow.ts'
import type { CollectionTarget } from './load-collection.ts'

/** Watches the catches of a player as they are stored. Opening it costs one request. */
export function openStream(client: Client, target: CollectionTarget): (listener: Listener) => Stream {
  return ({ onCatch, ...callbacks }) => {
    const closed = new AbortController()
    let isOpen = true
    const watch = async () => {
      for await (const caught of watchCatches(client, { ...target, ...callbacks, signal: closed.signal }))
        onCatch(caught)
    }
    // What ends it, such as a limit of streams, is left to polling.
    watch()
      .catch(() => {})
      .finally(() => {
        isOpen = false
      })
    return { isOpen: () => isOpen, close: () => closed.abort() }
  }
}
