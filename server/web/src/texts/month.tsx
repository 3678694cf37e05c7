import type { ComponentChildren } from 'preact'
import { formatNumber, plural } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'

/** The texts of the page of a player in a month. */
export const monthTexts = {
  months: 'Months',
  month: 'Month',
  title: (user: string, month: string) => `${user} in ${month}`,
  nothing: (month: ComponentChildren) => <>No catches in {month}.</>,
  tooManyDays: 'This collection has too many days to count a month.',
  whole: (link: (text: string) => ComponentChildren, user: string) => (
    <>The {link(`collection of ${user}`)} has all catches.</>
  ),
  best: 'Best catch',
  collection: 'Collection',
  days: 'Days',
  active: (total: number, active: number, days: number) =>
    `${catchesTexts.catches(total)} on ${formatNumber(active)} of ${plural(days, 'day')}.`,
  bestDay: (day: ComponentChildren, count: number) => (
    <>
      Best day: {day} with {catchesTexts.catches(count)}.
    </>
  ),
  tooManySpecies: 'This collection has too many species to count the new ones.',
  newSpecies: 'New species',
  more: (count: number) => `And ${formatNumber(count)} more, which are less rare.`,
} as const
