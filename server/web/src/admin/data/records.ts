import type { RarityLabel } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Kind } from '../../data/summary.ts'

/** A catch as administrators add it. */
export interface Entry {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly caughtAt: string
}

/** A stored catch. */
export interface StoredEntry extends Entry {
  /** The index of the catch in its record, which stays the same when other catches of the record are removed. */
  readonly entry: number | undefined
}

/** The catches of one write, which move together. */
export interface CatchRecord {
  readonly id: string
  readonly entries: readonly StoredEntry[]
}

/** A collection. */
export interface Place {
  readonly player: string
  readonly kind: Kind
  readonly gamemode: Gamemode
}

/** The records of a player, newest first. */
export async function loadRecords(
  client: AdminClient,
  { player, kind, gamemode }: Place,
): Promise<readonly CatchRecord[]> {
  if (kind === 'fish') return recordsOf((await client.fish.list(player, { gamemode })).fish)
  return recordsOf((await client.crabs.list(player, { gamemode })).crab)
}

interface Listed extends Pick<Entry, 'name' | 'rarity'> {
  readonly id?: string | undefined
  readonly entry?: number | undefined
  readonly caughtAt?: string | undefined
}

/** Groups entries by record, newest record first. The entries of a record must be adjacent. */
export function recordsOf(listed: readonly Listed[]): readonly CatchRecord[] {
  const records: { id: string; entries: StoredEntry[] }[] = []
  for (const { id = '', entry, caughtAt = '', name, rarity } of listed) {
    const stored = { name, rarity, caughtAt, entry }
    const last = records.at(-1)
    if (last !== undefined && last.id === id) last.entries.push(stored)
    else records.push({ id, entries: [stored] })
  }
  return records.reverse()
}

/** Adds catches as one record. */
export function addEntries(client: AdminClient, { player, kind, gamemode }: Place, entries: readonly Entry[]) {
  const times = entries.map(({ name, caughtAt }) => ({ name, caughtAt: caughtAt === '' ? undefined : caughtAt }))
  if (kind === 'crab') return client.crabs.add(player, times, { gamemode })
  const fish = times.map((entry, index) => ({ ...entry, rarity: entries[index]?.rarity ?? 'Unknown/Other' }))
  return client.fish.add(player, fish, { gamemode })
}

/** A filter for the catches of a player. Empty texts match all catches. */
export interface CatchFilter {
  /** Part of the name of a species, in any letter case. */
  readonly text: string
  readonly rarity: RarityLabel | undefined
  /** A local date, such as `2026-01-31`. */
  readonly day: string
}

/** Returns the records with the entries that match, without records that have none. */
export function filterRecords(
  records: readonly CatchRecord[],
  { text, rarity, day }: CatchFilter,
): readonly CatchRecord[] {
  const wanted = text.toLowerCase()
  const [start, end] = day === '' ? ['', '~'] : [startOf(day, 0), startOf(day, 1)]
  return keepEntries(
    records,
    ({ name, rarity: its, caughtAt }) =>
      name.toLowerCase().includes(wanted) &&
      (rarity === undefined || its === rarity) &&
      caughtAt >= start &&
      caughtAt < end,
  )
}

/** Returns the start of a local date, or of a date some days later, as the service writes it. */
function startOf(day: string, later: number): string {
  const date = new Date(`${day}T00:00:00`)
  // Days have 23 to 25 hours.
  date.setDate(date.getDate() + later)
  return date.toISOString()
}

export function keepEntries(
  records: readonly CatchRecord[],
  isKept: (entry: StoredEntry, record: CatchRecord) => boolean,
): readonly CatchRecord[] {
  return records.flatMap((record) => {
    const entries = record.entries.filter((entry) => isKept(entry, record))
    return entries.length === 0 ? [] : [{ ...record, entries }]
  })
}

/** The catches to remove: one entry of a record, or all entries. */
export interface Removal extends Place {
  readonly id: string
  /** @default all entries of the record */
  readonly entry: number | undefined
}

export function removeCatches(client: AdminClient, { player, kind, gamemode, id, entry }: Removal) {
  return (kind === 'fish' ? client.fish : client.crabs).delete(player, id, { gamemode, entry })
}

/** Moves catches to another gamemode of their player. */
export function moveRecord(client: AdminClient, { player, kind, gamemode }: Place, id: string, to: string) {
  return (kind === 'fish' ? client.fish : client.crabs).move(player, id, { gamemode, to })
}
