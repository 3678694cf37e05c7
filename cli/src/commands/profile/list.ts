import { defineCommand } from '../../command/define.ts'
import { outputFlags } from '../../command/flags.ts'
import type { Column } from '../../output/columns.ts'

const COLUMNS: readonly Column[] = [
  { field: 'current', title: '', text: (value) => (value ? '*' : '') },
  { field: 'name', title: 'PROFILE', whole: true },
  { field: 'url' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'admin' },
  { field: 'secrets' },
]

export const profileListCommand = defineCommand({
  summary: 'List the profiles; a star marks the current one.',
  examples: ['fish-cli profile list', 'fish-cli profile list --fields name,url --json'],
  flags: { ...outputFlags },
  columns: COLUMNS,

  async run(context) {
    const { current, profiles } = context.config
    const rows = [...profiles].map(([name, profile]) => ({ name, current: name === current, ...profile }))
    const document = (selected: readonly object[]) => ({ current: current ?? null, profiles: selected })
    const empty = 'No profiles yet. To create one: fish-cli login USER'
    return context.printRows({ rows, document, empty })
  },
})
