import { HEADERS, KINDS, type Kind } from '@fish-crab/sdk/contract'
import type { RoutedRequest } from '@fish-crab/server/app'
import type { Transport } from '../service/outcome.ts'
import type { Service } from '../service/service.ts'
import type { HistoryEntry, SentCrab, SentFish } from './entry.ts'
import { type RequestRecorder, recordRequest } from './recorder.ts'
import { createRedactor } from './redact.ts'

export type History = ReturnType<typeof createHistory>

/** Maximum number of entries. When the history exceeds it, the oldest tenth is dropped. */
const MAX_ENTRIES = 200_000
/**
 * Maximum number of recorders. Recorders use more memory than entries, so recorders are converted to entries when the
 * history is read or when this number is reached.
 */
const MAX_RECORDERS = 1000

/** @param secrets texts that the history must not contain */
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
    /** The requests up to the moment of the access. To get later requests, access the property again. */
    get entries(): readonly HistoryEntry[] {
      flush()
      if (snapshot.length !== entries.length) snapshot = entries.slice()
      return snapshot
    },
    record(routed: RoutedRequest, transport: Transport): RequestRecorder {
      const recorder = recordRequest(routed, transport, now(), { service, redact })
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

/**
 * The catches of the writes in the history that the mock stored, oldest first. A write that was sent twice appears
 * once.
 */
export interface SentCatches {
  /** @example expect(mock.sent.fish()).toEqual([{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 3 }]) */
  fish(): SentFish[]
  /** @example expect(mock.sent.crabs()).toEqual([{ user: 'Alex', gamemode: 'earth', name: 'crab' }]) */
  crabs(): SentCrab[]
}

/** @param entries called on each access */
export function createSent(entries: () => readonly HistoryEntry[]): SentCatches {
  function sent(kind: Kind) {
    return entries().flatMap(({ user = '', status, query, headers, payload }) => {
      // Skip replays: the service responds with 200 to a token that it stored before.
      if (status !== 201 || payload?.kind !== kind) return []
      const gamemode = payload.gamemode ?? headers[HEADERS.gamemode] ?? query.gamemode ?? ''
      return payload.entries.map((entry) => ({ user, gamemode, ...entry }))
    })
  }
  return { fish: () => sent('fish') as SentFish[], crabs: () => sent('crab') as SentCrab[] }
}
