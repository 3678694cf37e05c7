import { createClient, type RarityLabel } from '@fish-crab/sdk'
import { defineCommand } from '../../kit/define.ts'
import { outputFlags } from '../../kit/flags.ts'
import { RARITY_STYLES } from '../../terminal/screen.ts'
import type { Column } from '../../terminal/table.ts'
import { crabColumns, fishColumns } from './catch-list.ts'

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

  async run({ session, terminal }) {
    const { createMock } = await import('@fish-crab/mocks')
    const { origin, fetch } = await createMock()
    const { demo } = createClient({ baseUrl: origin, fetch, env: {} })
    const { signal } = session
    const [{ user, fish }, { crab }] = await Promise.all([demo.fish({ signal }), demo.crabs({ signal })])
    const rows: readonly Sample[] = [
      ...fish.map((each) => ({ kind: 'fish', ...each })),
      ...crab.map(({ name }) => ({ kind: 'crab', name })),
    ]
    return terminal.printTables({ rows, columns: COLUMNS, document: { user, fish, crab } }, [
      { rows: fish, columns: fishColumns(false) },
      { rows: crab, columns: crabColumns(false) },
    ])
  },
})
