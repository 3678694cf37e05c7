import { GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import type { Lane } from '../mock/outcome.ts'
import type { Service } from '../mock/service.ts'
import type { JournalEntry, SentPayload } from './entry.ts'
import { Note, type NoteContext } from './note.ts'
import { readPayload } from './payload.ts'
import { createRedactor } from './redact.ts'

/** Every request of a world, in the order in which they came. */
export interface Journal {
  /**
   * Those so far. What is under way is filled in later; what comes later is there when this is asked for again, in
   * another array: one that was kept stays as long as it was.
   */
  readonly entries: readonly JournalEntry[]
  /** Notes a request before it is answered. */
  begin(request: Request, lane: Lane): Note
}

/** Requests that are kept. The oldest tenth goes when there are more. */
const CAPACITY = 200_000
/** Notes that are kept until somebody asks: they hold more than the entries that they become. */
const CAPACITY_OF_NOTES = 1000

/** Makes an empty journal. */
export function createJournal(
  { app, users, ownerOf, addressOf, learnName }: Service,
  secrets: readonly string[],
  now: () => number,
): Journal {
  const entries: JournalEntry[] = []
  let shown: readonly JournalEntry[] = []
  const notes: Note[] = []

  const names = [...users.values()].map(({ name }) => name)
  const redact = createRedactor(secrets, new Set([...names, ...GAMEMODES, ...KINDS]))
  const context: NoteContext = {
    redact,
    ownerOf,
    addressOf,
    learnName,
    async readPayload(copy, kind, user) {
      const payload = await readPayload(app, kind, user, copy)
      return { ...redact.value(payload), kind: payload.kind } as SentPayload
    },
  }

  function enter(): void {
    if (notes.length === 0) return
    for (const note of notes) entries.push(note.entry())
    notes.length = 0
    if (entries.length > CAPACITY) entries.splice(0, entries.length - CAPACITY + CAPACITY / 10)
    shown = []
  }

  return {
    get entries() {
      enter()
      if (shown.length !== entries.length) shown = entries.slice()
      return shown
    },
    begin(request, lane) {
      const note = new Note(request, lane, now(), context)
      notes.push(note)
      if (notes.length >= CAPACITY_OF_NOTES) enter()
      return note
    },
  }
}
