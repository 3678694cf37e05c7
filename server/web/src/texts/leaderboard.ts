import { formatNumber, plural } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'
import { siteTexts } from './site.ts'

/** The texts of the leaderboard. */
export const leaderboardTexts = {
  title: siteTexts.leaderboard,
  closedTitle: 'No leaderboard',
  closed: 'The owner of this server does not show who has caught the most.',
  kinds: catchesTexts.kinds,
  filters: { kind: 'Kind', by: 'Count', gamemode: catchesTexts.gamemode, period: 'Period' },
  catches: 'Catches',
  species: 'Species',
  allGamemodes: 'All gamemodes',
  allTime: 'All time',
  players: (count: number) => plural(count, 'player'),
  counted: 'Counted',
  countedAgain: 'The places are counted at most every ten minutes.',
  list: 'Players by count',
  empty: 'Nobody is on this leaderboard yet.',
  behind: (gap: number, above: string) => `${formatNumber(gap)} behind ${above}`,
  equal: (above: string) => `equal to ${above}`,
  you: 'You',
  place: 'Place',
} as const
