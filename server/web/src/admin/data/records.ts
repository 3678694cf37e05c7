import type { RarityLabel } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Kind } from '../../data/summary.ts'

/** A catch as administrators see it. */
export interface Entry {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly caughtAt: string
}

/** The catches of one write, which are moved and removed together. */
export interface CatchRecord {
  readonly id: string
  readonly entries: readonly Entry[]
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
  readonly caughtAt?: string | undefined
}

/** Groups entries by record, newest record first. The entries of a record must be adjacent. */
export function recordsOf(listed: readonly Listed[]): readonly CatchRecord[] {
  const records: { id: string; entries: Entry[] }[] = []
  for (const { id = '', caughtAt = '', name, rarity } of listed) {
    const entry = { name, rarity, caughtAt }
    const last = records.at(-1)
    if (last !== undefined && last.id === id) last.entries.push(entry)
    else records.push({ id, entries: [entry] })
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

export function removeRecord(client: AdminClient, { player, kind, gamemode }: Place, id: string) {
  return (kind === 'fish' ? client.fish : client.crabs).delete(player, id, { gamemode })
}

/** Moves catches to another gamemode of their player. */
export function moveRecord(client: AdminClient, { player, kind, gamemode }: Place, id: string, to: string) {
  return (kind === 'fish' ? client.fish : client.crabs).move(player, id, { gamemode, to })
}
