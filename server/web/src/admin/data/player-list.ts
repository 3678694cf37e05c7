import type { UserList } from '@fish-crab/sdk/admin'

export type ListedPlayer = UserList['users'][number]

/** Describes the state of a player, if it is not the usual one. */
export function stateOf({ suspended, hidden, public: isPublic }: Partial<ListedPlayer>): string | undefined {
  if (suspended) return hidden ? 'suspended and hidden' : 'suspended'
  return isPublic === false ? 'not public' : undefined
}

/** The values by which the list of players can be sorted. Players without a value are last in ascending order. */
const SORTS = {
  name: ({ name }) => name.toLowerCase(),
  fish: ({ totals }) => totals?.fish ?? 0,
  crabs: ({ totals }) => totals?.crab ?? 0,
  latest: ({ lastCatch }) => lastCatch?.at ?? '',
  created: ({ createdAt }) => createdAt,
} satisfies Record<string, (player: ListedPlayer) => string | number>

export type PlayerColumn = keyof typeof SORTS
/** A column, with a `-` before it for the reverse order. */
export type PlayerSort = PlayerColumn | `-${PlayerColumn}`

/** The order in which the service lists players. */
export const DEFAULT_SORT: PlayerSort = 'name'

export function isPlayerSort(text: string | null): text is PlayerSort {
  return text !== null && Object.hasOwn(SORTS, text.replace(/^-/, ''))
}

export function sortPlayers(players: readonly ListedPlayer[], sort: PlayerSort): readonly ListedPlayer[] {
  if (sort === DEFAULT_SORT) return players
  const isReverse = sort.startsWith('-')
  const read: (player: ListedPlayer) => string | number = SORTS[sort.replace(/^-/, '') as PlayerColumn]
  return players
    .map((player) => ({ player, value: read(player) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value < b.value === isReverse ? 1 : -1))
    .map(({ player }) => player)
}

/** Returns the next order when the header of a column is pressed. Counts and dates start with the largest. */
export function nextSort(sort: PlayerSort, column: PlayerColumn): PlayerSort {
  if (column === 'name') return sort === 'name' ? '-name' : 'name'
  return sort === `-${column}` ? column : `-${column}`
}

/** The players that are read so far. */
export interface PlayerList {
  readonly players: readonly ListedPlayer[]
  /** The position of the next page. Absent at the end of the list. */
  readonly cursor?: string | undefined
}

/** The maximum number of players to sort. Each 50 players cost a request, and an administrator has 300 in five minutes. */
export const MAX_SORTED = 1000

/**
 * Reads pages until the list has the given number of players.
 * @param onPage called with the number of players after each page
 */
export async function readPlayers(
  read: (cursor: string | undefined) => Promise<UserList>,
  count: number,
  before: PlayerList = { players: [] },
  onPage?: (count: number) => void,
): Promise<PlayerList> {
  let { players, cursor } = before
  do {
    const { users, nextCursor } = await read(cursor)
    players = [...players, ...users]
    cursor = nextCursor
    onPage?.(players.length)
  } while (cursor !== undefined && players.length < count)
  return { players, cursor }
}
