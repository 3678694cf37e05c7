import { COUNT_COLUMNS, countBars, countRows } from '../../client/counts.ts'
import { administrationFlags, openAdministration } from '../../command/administration.ts'
import { defineCommand, Flags } from '../../command/define.ts'
import { outputFlags } from '../../command/flags.ts'

export const adminStatsCommand = defineCommand({
  summary: 'Count the players and catches of the whole service.',
  description: 'Counts catches by gamemode and rarity. Every administrator may use it.',
  examples: ['fish-cli admin stats', 'fish-cli admin stats --chart', 'fish-cli admin stats --admin mia --json'],
  flags: { chart: Flags.boolean({ summary: 'Draw bars.' }), ...administrationFlags, ...outputFlags },
  role: 'administrator',
  columns: COUNT_COLUMNS,

  async run(context) {
    const { flags } = context
    const { admin, options } = await openAdministration(context)
    const { users, fish, crab } = await admin.stats(options)
    const counts = { users, fish, crab }
    const rows = countRows(counts)
    // --fields selects from rows; without it, the document is nested as the service responds.
    const document = (selected: readonly object[]) => (flags.fields === undefined ? counts : selected)
    return flags.chart
      ? context.printChart({ rows, document, charts: [countBars(rows)] })
      : context.printRows({ rows, document })
  },
})
