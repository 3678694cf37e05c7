import type { Crab, Fish } from '@fish-crab/sdk'
import { rarityStyle } from '../output/colours.ts'
import { type Column, timeColumn } from '../output/columns.ts'

const SAVED: readonly Column<Fish | Crab>[] = [timeColumn('caughtAt'), { field: 'id', title: 'RECORD', whole: true }]
// Ids begin with a time, which those of one evening share. Their ends are random.
const SHORT_ID = 8

/** What of the time and the record is shown: nothing, the record by the end of its id, or by all of it. */
export type CatchDetail = 'none' | 'short' | 'whole'

/** The columns of fish, rarities in their colours. */
export function fishColumns(detail: CatchDetail): readonly Column<Fish>[] {
  return [
    { field: 'name', title: 'FISH' },
    { field: 'rarity', style: (_, { rarity }) => rarityStyle(rarity) },
    ...savedColumns(detail),
  ]
}

/** The columns of crabs. */
export function crabColumns(detail: CatchDetail): readonly Column<Crab>[] {
  return [{ field: 'name', title: 'CRAB' }, ...savedColumns(detail)]
}

/** What only the detailed answer of the service has. */
export const DETAIL_FIELDS: readonly string[] = SAVED.map(({ field }) => field)

function savedColumns(detail: CatchDetail): readonly Column<Fish | Crab>[] {
  return SAVED.map((column) => {
    const shown = { ...column, hidden: detail === 'none' }
    const isShort = column.field === 'id' && detail === 'short'
    return isShort ? { ...shown, text: (value) => String(value ?? '').slice(-SHORT_ID) } : shown
  })
}
