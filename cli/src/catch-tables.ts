import type { Crab, Fish } from '@fish-crab/sdk'
import { paintRarity } from './colours.ts'
import { type Column, table } from './table.ts'

/** How catches are shown. */
export interface CatchTableOptions {
  readonly colours: boolean
  /** Shows the record and the time of each catch too. */
  readonly detail: boolean
}

const DETAIL: readonly Column<Fish | Crab>[] = [
  { title: 'CAUGHT AT', text: ({ caughtAt = '' }) => caughtAt },
  { title: 'RECORD', text: ({ id = '' }) => id },
]

/** Fish as a table, rarities in their colours. */
export function fishTable(fish: readonly Fish[], { colours, detail }: CatchTableOptions): string {
  const columns: Column<Fish>[] = [
    { title: 'FISH', text: ({ name }) => name },
    { title: 'RARITY', text: ({ rarity }) => rarity, paint: ({ rarity }, text) => paintRarity(rarity, text, colours) },
    ...(detail ? DETAIL : []),
  ]
  return table(fish, columns, { colours })
}

/** Crabs as a table. */
export function crabTable(crabs: readonly Crab[], { colours, detail }: CatchTableOptions): string {
  return table(crabs, [{ title: 'CRAB', text: ({ name }) => name }, ...(detail ? DETAIL : [])], { colours })
}
