import { createClient, type RarityLabel } from '@fish-crab/sdk'
import { crabColumns, fishColumns } from '../client/catch-list.ts'
import { defineCommand } from '../kit/define.ts'
import { outputFlags } from '../kit/flags.ts'
import type { Column } from '../output/columns.ts'
import { renderRows } from '../output/rows.ts'
import { RARITY_STYLES } from '../output/screen.ts'

interface Sample {
  readonly kind: string
  readonly name: string
  readonly rarity?: RarityLabel
}

const COLUMNS: readonly Column<Sample>[] = [
  { field: 'kind' },
  { field: 'name' },
  { field: 'rarity', style: (_, { rarity }) => rarity && RARITY_STYLES[rarity] },
]

export const demoCommand = defineCommand({
  summary: 'Show sample collections, without a server or an account.',
  examples: ['fish-cli demo', 'fish-cli demo --json'],
  flags: outputFlags,

  async run(context) {
    const { flags } = context
    const { createMock } = await import('@fish-crab/mocks')
    const { origin, fetch } = await createMock()
    const { demo } = createClient({ baseUrl: origin, fetch, env: {} })
    const signal = context.interrupted()
    const [{ user, fish }, { crab }] = await Promise.all([demo.fish({ signal }), demo.crabs({ signal })])
    if (!flags.json && !flags.csv) {
      const tables = [
        renderRows({ rows: fish, columns: fishColumns(false) }, flags, context.screen),
        renderRows({ rows: crab, columns: crabColumns(false) }, flags, context.screen),
      ]
      return context.printLong(tables.join('\n'))
    }
    const rows: readonly Sample[] = [
      ...fish.map((each) => ({ kind: 'fish', ...each })),
      ...crab.map(({ name }) => ({ kind: 'crab', name })),
    ]
    return context.printRows({ rows, columns: COLUMNS, document: { user, fish, crab } })
  },
})
