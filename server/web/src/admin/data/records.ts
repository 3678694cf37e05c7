import type { RarityLabel } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { PageGamemodes } from '../../data/gamemodes.ts'
import { type Kind, latestOf } from '../../data/summary.ts'

/** A catch as administrators see it. */
export interface Entry {
  readonly name: string
  readonly rarity?: RarityLabel | undefined
  readonly caughtAt: string
}

/** What was written at once, and is removed at once. */
export interface CatchRecord {
  readonly id: string
  readonly entries: readonly Entry[]
}

/** Whose catches. */
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

/** A client has 25 requests in 300 s. */
const MAX_SEARCHED = 4

/** The gamemodes to search: only the first where a service has many. */
export function searchedGamemodes(gamemodes: PageGamemodes): PageGamemodes {
  return gamemodes.length > MAX_SEARCHED ? [gamemodes[0]] : gamemodes
}

interface Search {
  readonly player: string
  readonly kinds: readonly Kind[]
  readonly gamemodes: PageGamemodes
}

/** Finds the kind and gamemode of a player's latest catch. Costs a request for each kind in each gamemode. */
export async function findLatestPlace(client: AdminClient, { player, kinds, gamemodes }: Search): Promise<Place> {
  const places = gamemodes.flatMap((gamemode) => kinds.map((kind): Place => ({ player, kind, gamemode })))
  const found = await Promise.all(
    places.map(async (place) => {
      const times = (await loadRecords(client, place)).flatMap(({ entries }) => entries.map(({ caughtAt }) => caughtAt))
      return { place, time: latestOf(['', ...times], (time) => time) }
    }),
  )
  return latestOf(found, ({ time }) => time).place
}

interface Listed extends Pick<Entry, 'name' | 'rarity'> {
  readonly id?: string | undefined
  readonly caughtAt?: string | undefined
}

/** Entries of one record follow each other. */
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
