import type { Change, Collection, RecordRemoval } from './types.ts'

/** The listeners of `onChange`. */
export function createChanges() {
  const listeners = new Set<(change?: Change) => void>()
  return {
    onChange(listener: (change?: Change) => void): () => void {
      // Callers may pass the same function twice, so each call creates its own listener.
      const own = (change?: Change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit(change?: Change): void {
      for (const listener of listeners) listener(change)
    },
  }
}

/** The change of the collection from which entries of a record were removed. */
export function removalOf(
  collection: Collection,
  { record, remaining }: Pick<RecordRemoval, 'record' | 'remaining'>,
): Change {
  return { ...collection, removed: record.id, ...(remaining ? { entry: remaining.entry } : {}) }
}
