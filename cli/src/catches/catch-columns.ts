import type { Crab, Fish } from '@fish-crab/sdk'
import { rarityStyle } from '../output/colours.ts'
import type { Column } from '../output/columns.ts'

const SAVED: readonly Column<Fish | Crab>[] = [
  { field: 'caughtAt', title: 'CAUGHT AT', whole: true },
  { field: 'id', title: 'RECORD', whole: true },
]

/** The columns of fish, rarities in their colours. `detail` shows the time and the record too. */
export function fishColumns(detail: boolean): readonly Column<Fish>[] {
  return [
    { field: 'name', title: 'FISH' },
    { field: 'rarity', style: (_, { rarity }) => rarityStyle(rarity) },
    ...savedColumns(detail),
  ]
}

/** The columns of crabs. */
export function crabColumns(detail: boolean): readonly Column<Crab>[] {
  return [{ field: 'name', title: 'CRAB' }, ...savedColumns(detail)]
}

/** What only the detailed answer of the service has. */
export const DETAIL_FIELDS: readonly string[] = SAVED.map(({ field }) => field)

function savedColumns(detail: boolean): readonly Column<Fish | Crab>[] {
  return SAVED.map((column) => ({ ...column, hidden: !detail }))
}
