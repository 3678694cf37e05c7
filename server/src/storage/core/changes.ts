import type { Change } from './types.ts'

/** The listeners of `onChange`. */
export function createChanges() {
  const listeners = new Set<(change?: Change) => void>()
  return {
    onChange(listener: (change?: Change) => void): () => void {
      // The same function may be passed twice, so each call gets its own.
      const own = (change?: Change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit(change?: Change): void {
      for (const listener of listeners) listener(change)
    },
  }
}
