import { openClient } from '../client/client.ts'
import { resolveTarget } from '../config/target.ts'
import { type Column, timeColumn } from '../output/columns.ts'
import { parseInterval, watchFlags } from '../poll/flags.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { outputFlags, serviceFlags } from './flags.ts'

interface StatusRow {
  readonly status: string
  readonly version: string
  readonly timestamp: string
}

const COLUMNS: readonly Column<StatusRow>[] = [
  { field: 'status', style: () => 'green' },
  { field: 'version' },
  timeColumn('timestamp', 'TIME'),
]

/** `fish-cli status` */
export class Status extends FishCommand {
  static override summary = 'Say whether the service works, and which version it is.'
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --url https://fish.example.org --json',
    { description: 'Tell when it goes down, and when it is back:', command: '<%= config.bin %> status --watch' },
  ]
  static override flags = { ...watchFlags, ...serviceFlags, ...outputFlags }

  async run(): Promise<number> {
    const { flags } = await this.parse(Status)
    const intervalMs = parseInterval(flags)
    if (flags.watch) {
      const { watchStatus } = await import('../poll/status.ts')
      return watchStatus(this.io, { flags, intervalMs, note: (text) => this.note(flags.json, text) })
    }
    this.checkOutput(flags, COLUMNS)
    const client = await openClient(this.io, resolveTarget(this.io, flags))
    const { status, version, timestamp } = await client.status({ signal: this.io.interrupted() })
    return this.printRows(flags, {
      rows: [{ status, version, timestamp }],
      columns: COLUMNS,
      document: ([row]) => row,
    })
  }
}
