import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'
import { openClient } from '../client/client.ts'
import {
  COUNT_COLUMNS,
  type CollectionCounts,
  countBars,
  countRows,
  countSummaries,
  readGamemodes,
  SPECIES_COLUMNS,
  type Summaries,
  speciesRows,
} from '../client/counts.ts'
import { administrationFlags, isAdministrator, openAdministration } from '../command/administration.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../command/define.ts'
import { outputFlags } from '../command/flags.ts'
import { usageError } from '../core/errors.ts'

export const statsCommand = defineCommand({
  summary: 'Count the catches of a player or, as an administrator, of the whole service.',
  description:
    'Counts the public collections of a player by rarity and gamemode, with one request for each kind and gamemode. ' +
    'Without USER, counts your own, or for administrators (--admin) the whole service.',
  examples: [
    'fish-cli stats',
    'fish-cli stats Alex --chart',
    { description: 'Each species, with its first and last catch:', command: 'fish-cli stats Alex --species' },
    'fish-cli stats Alex --gamemode earth --json',
    { description: 'The whole service, as an administrator:', command: 'fish-cli stats --admin admin' },
  ],
  args: { user: Args.string({ description: 'the player (FISH_USER; for administrators, the whole service)' }) },
  flags: {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode of the player (default: all).',
      helpValue: 'GAMEMODE',
    }),
    species: Flags.boolean({ summary: 'List the species of the player, most caught first.', exclusive: ['chart'] }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: ({ args }) => (args.user === undefined ? 'administrator' : 'player'),
  columns: COUNT_COLUMNS,
  columnsFor: ({ flags }) => (flags.species ? SPECIES_COLUMNS : COUNT_COLUMNS),

  async run(context) {
    const { args, flags } = context
    const named = args.user ?? (isAdministrator(context) ? undefined : context.target.user?.value)
    if (named === undefined) {
      const flag = flags.species ? '--species' : flags.gamemode !== undefined && '--gamemode'
      if (flag) throw usageError(`${flag} needs USER.`, `Pass a player: fish-cli stats USER ${flag}`)
      return printCounts(context, await serviceStats(context))
    }
    const { user, summaries } = await readSummaries(context, named, flags.gamemode as Gamemode | undefined)
    if (!flags.species) return printCounts(context, { user, ...countSummaries(summaries) })
    const rows = speciesRows(summaries)
    const empty = 'No catches yet.'
    return context.printRows({ rows, document: (species: readonly object[]) => ({ user, species }), empty })
  },
})

function printCounts(
  context: CommandContext<{ fields: string | undefined; chart: boolean }>,
  counts: CollectionCounts & { readonly user?: string; readonly users?: number },
): Promise<number> {
  const { flags } = context
  const rows = countRows(counts)
  const output = {
    rows,
    // --fields selects from rows; without it, the document is nested as the service responds.
    document: (selected: readonly object[]) => (flags.fields === undefined ? counts : selected),
  }
  return flags.chart ? context.printChart({ ...output, bars: countBars(rows) }) : context.printRows(output)
}

async function serviceStats(context: CommandContext): Promise<CollectionCounts & { readonly users: number }> {
  const { admin, options } = await openAdministration(context)
  const { users, fish, crab } = await admin.stats(options)
  return { users, fish, crab }
}

async function readSummaries(context: CommandContext, named: string, gamemode: Gamemode | undefined) {
  const client = await openClient(context, context.target)
  const gamemodes = gamemode === undefined ? GAMEMODES : [gamemode]
  const summaries = await readGamemodes(gamemodes, context.interrupted(), async (each, signal): Promise<Summaries> => {
    const options = { user: named, gamemode: each, signal }
    const [fish, crab] = await Promise.all([client.fish.summary(options), client.crabs.summary(options)])
    return { fish, crab }
  })
  // The service's spelling of the name.
  return { user: summaries[0]?.fish.user ?? named, summaries }
}
