import type { ComponentChildren } from 'preact'
import type { Order } from '../data/species-list.ts'
import { formatNumber, plural } from '../parts/format.ts'

/** The texts of the species book and of its pages. */
export const speciesTexts = {
  title: 'Species',
  found: (found: number, all: number) =>
    found === all ? formatNumber(all) : `${formatNumber(found)} of ${formatNumber(all)}`,
  caughtPart: 'Caught',
  missingPart: 'Missing',
  search: 'Search',
  show: 'Show',
  all: 'All species',
  sort: 'Sort by',
  orders: {
    count: 'Most caught',
    rarity: 'Rarest',
    last: 'Caught last',
    first: 'Caught first',
    name: 'Name',
  } as const satisfies Record<Order, string>,
  table: 'Table',
  tableLabel: 'Species as a table',
  count: 'Count',
  firstCaught: 'First caught',
  lastCaught: 'Last caught',
  players: 'Players',
  nothing: 'Nothing matches.',
  more: (count: number, remaining: number) => `Show ${formatNumber(count)} more of ${formatNumber(remaining)}`,
  isNew: 'New',
  first: (time: ComponentChildren) => <>First {time}</>,
  share: (share: string) => `${share} of players have this`,
  missing: 'Not caught.',
  havingPlayers: (count: number) =>
    count === 0 ? 'Nobody has it' : `${plural(count, 'player')} ${count === 1 ? 'has' : 'have'} it`,
  overview: 'Overview',
  caughtBy: (player: ComponentChildren) => <>Caught by {player}</>,
  notCaughtBy: (player: ComponentChildren) => <>Not caught yet by {player}</>,
  nowhere: (user: string) => `This species is still out there. It appears here when ${user} catches it.`,
  notIn: (user: string, gamemode: string) => `${user} has not caught it in ${gamemode}.`,
  elsewhere: (user: string, gamemode: string) => `${user} has not caught it in ${gamemode}, but elsewhere.`,
  playersOf: (count: number, players: number, share: string) =>
    `${formatNumber(count)} of ${plural(players, 'player')} ${count === 1 ? 'has' : 'have'} it (${share}).`,
  siblings: { previous: 'Previous', next: 'Next' },
  ofRarities: (count: number) => `of ${count} rarities`,
  catches: 'Catches',
  to: 'to',
  loadingDays: 'Loading the days',
  refresh: 'Refresh',
  days: 'Show each day',
} as const
