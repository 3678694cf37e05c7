import type { Gamemode } from '@fish-crab/sdk'
import { usageError } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { outputFlags, serviceFlags } from '../../kit/flags.ts'
import { rememberGamemodes } from '../../session/gamemodes.ts'
import { isSeconds } from '../../session/settings.ts'
import { type Column, fieldLines, timeColumn } from '../../terminal/table.ts'

const COLUMNS: readonly Column<{ readonly gamemodes: readonly Gamemode[] }>[] = [
  { field: 'status' },
  { field: 'version' },
  timeColumn('timestamp', 'TIME'),
  { field: 'gamemodes', value: ({ gamemodes }) => gamemodes.join(', ') },
]

// With this interval, polling uses 20 of the 25 requests of a window. Five requests remain for other commands.
const DEFAULT_INTERVAL_SECONDS = 15
const MAX_INTERVAL_SECONDS = 86_400

export const statusCommand = defineCommand({
  summary: 'Show the state, the version and the gamemodes of the service.',
  examples: [
    'fish-cli status',
    'fish-cli status --url https://fish.example.org --json',
    { description: 'Report when the service goes down or comes back:', command: 'fish-cli status --watch' },
  ],
  flags: {
    watch: Flags.boolean({ char: 'w', summary: 'Keep polling and show each change. Stop with Ctrl-C.' }),
    interval: Flags.string({
      summary: `Seconds between two polls with --watch (default ${DEFAULT_INTERVAL_SECONDS}); longer when the rate limit requires it.`,
      helpValue: 'SECONDS',
    }),
    ...serviceFlags,
    ...outputFlags,
  },

  async run({ session, terminal, flags }) {
    const intervalMs = parseInterval(flags)
    if (flags.watch) {
      const { watchStatus } = await import('./watch-status.ts')
      return watchStatus(session, intervalMs)
    }
    const client = await session.client()
    const { status, version, timestamp, gamemodes } = await client.status({ signal: session.signal })
    rememberGamemodes(session, session.url, gamemodes)
    const row = { status, version, timestamp, gamemodes }
    if (flags.csv) return terminal.printRows({ rows: [row], columns: COLUMNS })
    return terminal.print(row, () => fieldLines(row, COLUMNS))
  },
})

/** In milliseconds. */
function parseInterval({ watch, interval }: { watch?: boolean; interval?: string | undefined }): number {
  if (interval === undefined) return DEFAULT_INTERVAL_SECONDS * 1000
  if (!watch) throw usageError('--interval requires --watch.', 'For example: fish-cli status --watch --interval 30')
  const seconds = isSeconds(interval) ? Number(interval) : Number.NaN
  if (seconds >= 1 && seconds <= MAX_INTERVAL_SECONDS) return seconds * 1000
  throw usageError(`--interval must be from 1 to ${MAX_INTERVAL_SECONDS} seconds.`)
}
