import { openClient } from '../client/client.ts'
import { defineCommand } from '../command/define.ts'
import { outputFlags, parseInterval, serviceFlags, watchFlags } from '../command/flags.ts'
import { type Column, timeColumn } from '../output/columns.ts'

const COLUMNS: readonly Column[] = [
  { field: 'status', style: () => 'green' },
  { field: 'version' },
  timeColumn('timestamp', 'TIME'),
]

export const statusCommand = defineCommand({
  summary: 'Show whether the service is up, and its version.',
  examples: [
    'fish-cli status',
    'fish-cli status --url https://fish.example.org --json',
    { description: 'Report when it goes down and comes back:', command: 'fish-cli status --watch' },
  ],
  flags: { ...watchFlags, ...serviceFlags, ...outputFlags },
  columns: COLUMNS,
  columnsFor: async ({ flags }) => (flags.watch ? (await import('../poll/status.ts')).STATE_COLUMNS : COLUMNS),

  async run(context) {
    const { flags } = context
    const intervalMs = parseInterval(flags)
    if (flags.watch) {
      const { watchStatus } = await import('../poll/status.ts')
      return watchStatus(context, { target: context.target, flags, intervalMs })
    }
    const client = await openClient(context, context.target)
    const { status, version, timestamp } = await client.status({ signal: context.interrupted() })
    return context.printRows({ rows: [{ status, version, timestamp }], document: ([row]) => row })
  },
})
