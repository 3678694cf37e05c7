import type { JournalEntry } from '../history/entry.ts'
import type { World } from '../mock/mock-state.ts'

/** What the control endpoints show of a journal. */
export interface JournalView {
  /** Every request since the world began or {@link clear} was called, oldest first. */
  entries(): readonly JournalEntry[]
  /** Shows no more of what is there now. The test that holds the world still sees it. */
  clear(): void
}

/** Makes the view. It follows its world through resets. */
export function createJournalView(world: World): JournalView {
  let lastHidden: JournalEntry | undefined
  return {
    entries() {
      const { entries } = world.journal
      return lastHidden === undefined ? entries : entries.slice(entries.indexOf(lastHidden) + 1)
    },
    clear() {
      lastHidden = world.journal.entries.at(-1)
    },
  }
}
