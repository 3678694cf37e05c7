import { formatNumber } from '../parts/format.ts'

/** The texts of toasts, which load after the first view. */
export const toastTexts = {
  caught: 'New:',
  rarity: (rarity: string) => `(${rarity})`,
  times: (count: number) => `×${formatNumber(count)}`,
  more: (count: number) => `and ${formatNumber(count)} more`,
} as const
