import type { ClientOptions, Crab, Fish } from '@fish-crab/sdk'
import { Flags } from '@oclif/core'
import { crabColumns, fishColumns } from '../catches/catch-list.ts'
import { openClient } from '../client/client.ts'
import { resolveTarget } from '../config/target.ts'
import type { Column } from '../output/columns.ts'
import { formatOf } from '../output/format.ts'
import { renderRows } from '../output/rows.ts'
import { rarityStyle } from '../output/screen.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { outputFlags, serviceFlags } from './flags.ts'

type DemoRow = ({ readonly kind: 'fish' } & Fish) | ({ readonly kind: 'crab' } & Crab)

const COLUMNS: readonly Column<DemoRow>[] = [
  { field: 'kind' },
  { field: 'name' },
  {
    field: 'rarity',
    value: (row) => (row.kind === 'fish' ? row.rarity : null),
    style: (_, row) => (row.kind === 'fish' ? rarityStyle(row.rarity) : undefined),
  },
]

/** `fish-cli demo` */
export class Demo extends FishCommand {
  static override summary = 'Show sample collections; needs no server and no account.'
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --json']
  static override flags = {
    ...serviceFlags,
    url: Flags.string({ summary: 'Show the samples of this service instead.', helpValue: 'URL' }),
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(Demo)
    this.checkOutput(flags, COLUMNS)
    const { demo } = await openClient(
      this.io,
      resolveTarget(this.io, flags),
      flags.url === undefined ? await ownService() : {},
    )
    const signal = this.io.interrupted()
    const [{ user, fish }, { crab }] = await Promise.all([demo.fish({ signal }), demo.crabs({ signal })])
    if (formatOf(flags) === 'table' && flags.fields === undefined) {
      const tables = [
        renderRows({ rows: fish, columns: fishColumns('none') }, flags, this.screen),
        renderRows({ rows: crab, columns: crabColumns('none') }, flags, this.screen),
      ]
      return this.printLong(flags, tables.join('\n'))
    }
    const rows: readonly DemoRow[] = [
      ...fish.map((each) => ({ kind: 'fish' as const, ...each })),
      ...crab.map((each) => ({ kind: 'crab' as const, ...each })),
    ]
    const document = (chosen: readonly object[]) => (flags.fields === undefined ? { user, fish, crab } : chosen)
    return this.printRows(flags, { rows, columns: COLUMNS, document })
  }
}

/** The very service, in this process and for this moment. */
async function ownService(): Promise<ClientOptions> {
  const { createMock } = await import('@fish-crab/mocks')
  const { origin, fetch } = await createMock()
  return { baseUrl: origin, fetch }
}
