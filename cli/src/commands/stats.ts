import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'
import { COUNT_COLUMNS, type CollectionCounts, countBars, countCollections, countRows } from '../catches/counts.ts'
import { openClient } from '../client/client.ts'
import type { TargetFlags } from '../config/target.ts'
import { usageError } from '../core/errors.ts'
import { administrationFlags, openAdministration } from './admin-command.ts'
import type { CommandContext } from './define.ts'
import { Args, defineCommand, Flags } from './define.ts'
import { outputFlags } from './flags.ts'

/** `fish-cli stats` */
export const statsCommand = defineCommand({
  summary: 'Count what a player has caught; without USER, all there is.',
  description:
    'With USER, by rarity and gamemode, from the collections of the player, which everybody may read: one request for ' +
    'each kind and gamemode. Without, the totals of the service, for administrators.',
  examples: [
    'fish-cli stats Alex --chart',
    'fish-cli stats Alex --gamemode earth --json',
    { description: 'The whole service, as an administrator:', command: 'fish-cli stats' },
  ],
  args: { user: Args.string({ description: 'the player; all when left out', ignoreStdin: true }) },
  flags: {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode of USER; all of them when left out.',
      helpValue: 'GAMEMODE',
    }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: ({ args }) => (args.user === undefined ? 'administrator' : 'player'),
  columns: COUNT_COLUMNS,

  async run(context) {
    const { args, flags } = context
    if (args.user === undefined && flags.gamemode !== undefined) {
      throw usageError('--gamemode goes with a player.', 'Name one: fish-cli stats USER --gamemode GAMEMODE')
    }
    const counts = await (args.user === undefined
      ? ofService(context, flags)
      : ofPlayer(context, args.user, flags.gamemode as Gamemode | undefined, flags))
    const rows = countRows(counts)
    const output = {
      rows,
      // Fields are those of lines; without, the answer is nested as the service's own.
      document: (shown: readonly object[]) => (flags.fields === undefined ? counts : shown),
    }
    return flags.chart ? context.printChart({ ...output, bars: countBars(rows) }) : context.printRows(output)
  },
})

async function ofService(
  context: CommandContext,
  _flags: TargetFlags,
): Promise<CollectionCounts & { readonly users: number }> {
  const { admin, options } = await openAdministration(context)
  const { users, fish, crab } = await admin.stats(options)
  return { users, fish, crab }
}

async function ofPlayer(
  context: CommandContext,
  named: string,
  gamemode: Gamemode | undefined,
  _flags: TargetFlags,
): Promise<CollectionCounts & { readonly user: string }> {
  const client = await openClient(context, context.target)
  let user = named
  const counts = await countCollections(
    {
      async fish(each, signal) {
        const answer = await client.fish.list({ user: named, gamemode: each, signal })
        // As the service writes it.
        user = answer.user
        return answer.fish
      },
      crab: async (each, signal) => (await client.crabs.list({ user: named, gamemode: each, signal })).crab,
    },
    gamemode === undefined ? GAMEMODES : [gamemode],
    context.interrupted(),
  )
  return { user, ...counts }
}
