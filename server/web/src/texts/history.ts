import type { History } from '../data/history.ts'
import { formatNumber } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'

/** The texts of the chart of catches over time. */
export const historyTexts = {
  title: 'Catches over time',
  week: (day: string) => `week of ${day}`,
  most: (count: number, period: string) => `${formatNumber(count)} (${period})`,
  summary: (total: number, unit: History['unit'], first: string, last: string, most: string) =>
    `${catchesTexts.catches(total)} by ${unit}, from ${first} to ${last}. Most: ${most}.`,
  mostIn: { day: 'Most in a day:', week: 'Most in a week:', month: 'Most in a month:' },
  table: 'As a table',
  tableLabel: 'Catches over time as a table',
  units: { day: 'Day', week: 'Week', month: 'Month' },
  catches: 'Catches',
} as const
