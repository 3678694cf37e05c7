import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'
import { Args, Flags } from '@oclif/core'
import { COUNT_COLUMNS, type CollectionCounts, countBars, countCollections, countRows } from '../catches/counts.ts'
import { openClient } from '../client/client.ts'
import { resolveTarget, type TargetFlags } from '../config/target.ts'
import { usageError } from '../core/errors.ts'
import { AdministrationCommand, administrationFlags } from './admin-command.ts'
import { outputFlags } from './flags.ts'

/** `fish-cli stats` */
export class Stats extends AdministrationCommand {
  static override summary = 'Count what a player has caught; without USER, all there is.'
  static override description =
    'With USER, by rarity and gamemode, from the collections of the player, which everybody may read: one request for ' +
    'each kind and gamemode. Without, the totals of the service, for administrators.'
  static override examples = [
    '<%= config.bin %> stats Alex --chart',
    '<%= config.bin %> stats Alex --gamemode earth --json',
    { description: 'The whole service, as an administrator:', command: '<%= config.bin %> stats' },
  ]
  static override args = { user: Args.string({ description: 'the player; all when left out', ignoreStdin: true }) }
  static override flags = {
    gamemode: Flags.string({
      char: 'g',
      summary: 'Only this gamemode of USER; all of them when left out.',
      helpValue: 'GAMEMODE',
    }),
    chart: Flags.boolean({ summary: 'Draw bars.' }),
    ...administrationFlags,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Stats)
    this.checkOutput(flags, COUNT_COLUMNS)
    if (args.user === undefined && flags.gamemode !== undefined) {
      throw usageError('--gamemode goes with a player.', 'Name one: fish-cli stats USER --gamemode GAMEMODE')
    }
    const counts = await (args.user === undefined
      ? this.#ofService(flags)
      : this.#ofPlayer(args.user, flags.gamemode as Gamemode | undefined, flags))
    const rows = countRows(counts)
    const output = {
      rows,
      columns: COUNT_COLUMNS,
      // Fields are those of lines; without, the answer is nested as the service's own.
      document: (shown: readonly object[]) => (flags.fields === undefined ? counts : shown),
    }
    return flags.chart ? this.printChart(flags, { ...output, bars: countBars(rows) }) : this.printRows(flags, output)
  }

  async #ofService(flags: TargetFlags): Promise<CollectionCounts & { readonly users: number }> {
    const { admin, options } = await this.administration(flags)
    const { users, fish, crab } = await admin.stats(options)
    return { users, fish, crab }
  }

  async #ofPlayer(
    named: string,
    gamemode: Gamemode | undefined,
    flags: TargetFlags,
  ): Promise<CollectionCounts & { readonly user: string }> {
    this.needs = 'player'
    const client = await openClient(this.io, resolveTarget(this.io, flags))
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
      this.io.interrupted(),
    )
    return { user, ...counts }
  }
}
