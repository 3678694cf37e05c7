import { formatNumber } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'

/** The texts of the milestones of a collection. */
export const milestonesTexts = {
  title: 'Milestones',
  byDate: 'Milestones by date',
  firstCatch: 'First catch',
  species: (count: number) => `${formatNumber(count)} species`,
  first: (rarity: string) => `First ${rarity}`,
  bestDay: (count: number) => `Best day: ${catchesTexts.catches(count)}`,
} as const
