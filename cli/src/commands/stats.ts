import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'
import { openClient } from '../client/client.ts'
import { COUNT_COLUMNS, type CollectionCounts, countBars, countCollections, countRows } from '../client/counts.ts'
import { administrationFlags, openAdministration } from '../command/administration.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../command/define.ts'
import { outputFlags } from '../command/flags.ts'
import { usageError } from '../core/errors.ts'

export const statsCommand = defineCommand({
  summary: 'Count the catches of a player or, without USER, of the whole service.',
  description:
    'With USER, counts the public collections of the player by rarity and gamemode, with one request for each kind and ' +
    'gamemode. Without USER, shows the totals of the service, for administrators.',
  examples: [
    'fish-cli stats Alex --chart',
    'fish-cli stats Alex --gamemode earth --json',
    { description: 'The whole service, as an administrator:', command: 'fish-cli stats' },
  ],
  args: { user: Args.string({ description: 'the player (default: the whole service)' }) },
  flags: {
    gamemode: Flags.string({ char: 'g', summary: 'Only this gamemode of USER (default: all).', helpValue: 'GAMEMODE' }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: ({ args }) => (args.user === undefined ? 'administrator' : 'player'),
  columns: COUNT_COLUMNS,

  async run(context) {
    const { args, flags } = context
    if (args.user === undefined && flags.gamemode !== undefined) {
      throw usageError('--gamemode needs USER.', 'Pass a player: fish-cli stats USER --gamemode GAMEMODE')
    }
    const counts = await (args.user === undefined
      ? serviceStats(context)
      : playerStats(context, args.user, flags.gamemode as Gamemode | undefined))
    const rows = countRows(counts)
    const output = {
      rows,
      // --fields selects from rows; without it, the document is nested as the service responds.
      document: (selected: readonly object[]) => (flags.fields === undefined ? counts : selected),
    }
    return flags.chart ? context.printChart({ ...output, bars: countBars(rows) }) : context.printRows(output)
  },
})

async function serviceStats(context: CommandContext): Promise<CollectionCounts & { readonly users: number }> {
  const { admin, options } = await openAdministration(context)
  const { users, fish, crab } = await admin.stats(options)
  return { users, fish, crab }
}

async function playerStats(
  context: CommandContext,
  named: string,
  gamemode: Gamemode | undefined,
): Promise<CollectionCounts & { readonly user: string }> {
  const client = await openClient(context, context.target)
  let user = named
  const counts = await countCollections(
    {
      async fish(each, signal) {
        const response = await client.fish.list({ user: named, gamemode: each, signal })
        // The service's spelling of the name.
        user = response.user
        return response.fish
      },
      crab: async (each, signal) => (await client.crabs.list({ user: named, gamemode: each, signal })).crab,
    },
    gamemode === undefined ? GAMEMODES : [gamemode],
    context.interrupted(),
  )
  return { user, ...counts }
}
