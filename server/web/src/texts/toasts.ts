import { formatNumber } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'

/** The texts of toasts, which load after the first view. */
export const toastTexts = {
  caught: 'New:',
  rarity: (rarity: string) => `(${rarity})`,
  times: catchesTexts.times,
  more: (count: number) => `and ${formatNumber(count)} more`,
} as const
