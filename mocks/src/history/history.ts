import { type Gamemode, KINDS, type Kind, type RarityLabel } from '@fish-crab/sdk/contract'
import type { Transport } from '../service/outcome.ts'
import type { Service } from '../service/service.ts'
import type { HistoryEntry, StoredCrab, StoredFish } from './entry.ts'
import { type RequestRecorder, recordRequest } from './recorder.ts'
import { createRedactor } from './redact.ts'

export type History = ReturnType<typeof createHistory>

/** When there are more entries, the oldest tenth is dropped. */
const MAX_ENTRIES = 200_000
/** Recorders are converted to entries on access, or when there are this many: they hold more memory. */
const MAX_RECORDERS = 1000

/** @param secrets which the history must not contain */
export function createHistory(service: Service, secrets: readonly string[], now: () => number) {
  const entries: HistoryEntry[] = []
  const recorders: RequestRecorder[] = []
  let snapshot: readonly HistoryEntry[] = []
  const names = [...service.users.values()].map(({ name }) => name)
  const redact = createRedactor(secrets, new Set([...names, ...service.gamemodes, ...KINDS]))

  function flush(): void {
    if (recorders.length === 0) return
    for (const recorder of recorders) entries.push(recorder.entry())
    recorders.length = 0
    if (entries.length > MAX_ENTRIES) entries.splice(0, entries.length - MAX_ENTRIES + MAX_ENTRIES / 10)
    snapshot = []
  }

  return {
    /** The requests so far. Later requests are in the array of a later access. */
    get entries(): readonly HistoryEntry[] {
      flush()
      if (snapshot.length !== entries.length) snapshot = entries.slice()
      return snapshot
    },
    record(request: Request, transport: Transport): RequestRecorder {
      const recorder = recordRequest(request, transport, now(), { service, redact })
      recorders.push(recorder)
      if (recorders.length >= MAX_RECORDERS) flush()
      return recorder
    },
    clear(): void {
      recorders.length = 0
      entries.length = 0
      snapshot = []
    },
  }
}

/** The catches that clients sent and the mock stored, in order. Refused writes are in the history. */
export interface SentCatches {
  fish(): StoredFish[]
  crabs(): StoredCrab[]
}

interface StoredEntry {
  readonly name: string
  readonly rarity: RarityLabel
  readonly id: string
  readonly caughtAt: string
}

/** @param currentService called on each access, since a reset replaces the service */
export function createSent(currentService: () => Pick<Service, 'stored' | 'nameOf'>): SentCatches {
  function catches(kind: Kind): (StoredEntry & { user: string; gamemode: Gamemode })[] {
    const { stored, nameOf } = currentService()
    return stored
      .filter(({ collection, record }) => collection.kind === kind && record.dedupeKey !== null)
      .flatMap(({ collection, record }) =>
        (JSON.parse(`[${record.entries}]`) as StoredEntry[]).map((entry) => ({
          user: nameOf(collection.owner),
          gamemode: collection.gamemode,
          ...entry,
        })),
      )
  }
  return { fish: () => catches('fish'), crabs: () => catches('crab') }
}
