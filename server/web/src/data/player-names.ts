import type { Client, RarityLabel } from '@fish-crab/sdk'
import { userNameKey } from '@fish-crab/sdk/constants'
import { closestWord } from '../../../../sdk/src/internal/closest-word.ts'
import { readTypedName } from './address.ts'
import { readVisits } from './visits.ts'

/** A player whose name a page knows without a list of all players. */
export interface KnownPlayer {
  readonly name: string
  /** The rarest label of the player. @default the player has no fish */
  readonly rarest?: RarityLabel | undefined
}

const MAX_MATCHES = 8
const leadersOf = new WeakMap<Client, Promise<readonly KnownPlayer[]>>()

/** The first players of the public leaderboard. A page requests them once. If the request fails, there are none. */
export function readLeaders(client: Client): Promise<readonly KnownPlayer[]> {
  const known = leadersOf.get(client)
  if (known) return known
  const leaders = client.leaderboard({ kind: 'fish', limit: 100 }).then(
    ({ leaderboard }) => leaderboard,
    () => [],
  )
  leadersOf.set(client, leaders)
  return leaders
}

/** The players of this device, the latest first, and then those of the leaderboard. */
export function knownPlayers(leaders: readonly KnownPlayer[]): readonly KnownPlayer[] {
  const visited = readVisits().map(({ user, rarest }) => ({ name: user, rarest }))
  const seen = new Set(visited.map(({ name }) => userNameKey(name)))
  return [...visited, ...leaders.filter(({ name }) => !seen.has(userNameKey(name)))]
}

/** Finds the players whose names contain a text. Names that start with the text come first. */
export function matchingPlayers(players: readonly KnownPlayer[], text: string): readonly KnownPlayer[] {
  const key = userNameKey(readTypedName(text))
  const positionOf = ({ name }: KnownPlayer) => userNameKey(name).indexOf(key)
  return players
    .filter((player) => positionOf(player) !== -1)
    .sort((one, other) => Number(positionOf(one) > 0) - Number(positionOf(other) > 0))
    .slice(0, MAX_MATCHES)
}

/**
 * Replaces the misspelt names in the path of a page with the closest names, except those that the path already has.
 * @returns `undefined` if a name has no close one
 */
export function correctPath(path: string, misspelt: readonly string[], known: readonly string[]) {
  const parts = decodeURIComponent(path).split('/')
  const keys = parts.map(userNameKey)
  const others = known.filter((name) => !keys.includes(`@${userNameKey(name)}`))
  const names: string[] = []
  for (const name of misspelt) {
    const closest = closestWord(name, others)
    if (closest === undefined) return undefined
    names.push(closest)
    for (const [at, key] of keys.entries()) if (key === `@${userNameKey(name)}`) parts[at] = `@${closest}`
  }
  return { names, path: encodeURI(parts.join('/')) }
}
