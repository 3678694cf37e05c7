import type { Client, Crab, Fish } from '@fish-crab/sdk'
import { Args, Flags } from '@oclif/core'
import { crabColumns, DETAIL_FIELDS, fishColumns } from '../catch-columns.ts'
import { countByName, countByRarity, countColumns } from '../catch-counts.ts'
import { type Catch, chooseCatches, needsTime, readCatchQuery, SORT_FIELDS } from '../catch-query.ts'
import { usageError } from '../cli-error.ts'
import { needGamemode, needUser, openClient } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { gamemodeFlag, outputFlags, serviceFlags, userFlag } from '../flags.ts'
import type { Column } from '../output/columns.ts'
import type { OutputFlags } from '../output/format.ts'

type Kind = 'fish' | 'crab'

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
])
const PLURALS: Readonly<Record<Kind, string>> = { fish: 'fish', crab: 'crabs' }

/** `fish-cli list` */
export class List extends FishCommand {
  static override summary = 'List what a player has caught, oldest first. Needs no key.'
  static override examples = [
    '<%= config.bin %> list fish Alex --gamemode earth',
    '<%= config.bin %> list crabs Alex --gamemode earth --detail',
    {
      description: 'The ten latest that are gold or better:',
      command: '<%= config.bin %> list --filter rarity=gold,diamond,platinum,mythical --sort=-caughtAt --limit 10',
    },
    { description: 'How many of each rarity in the last week:', command: '<%= config.bin %> list --since 7d --chart' },
    { description: 'For a spreadsheet:', command: '<%= config.bin %> list -o csv --fields caughtAt,name,rarity' },
  ]
  static override args = {
    kind: Args.string({ description: 'fish or crabs; fish when left out', ignoreStdin: true }),
    user: Args.string({ description: 'the player (FISH_USER)', ignoreStdin: true }),
  }
  static override flags = {
    ...userFlag,
    ...gamemodeFlag,
    detail: Flags.boolean({ char: 'd', summary: 'Show the time and the record of each catch too.' }),
    filter: Flags.string({
      summary: 'Only those whose name holds this text; or rarity=gold,7.',
      helpValue: 'TEXT',
    }),
    since: Flags.string({ summary: 'Only those caught since then: 2026-01-31, 90m, 7d.', helpValue: 'WHEN' }),
    sort: Flags.string({
      summary: `Sort by ${SORT_FIELDS.join(', ')}; with - before it, the other way round.`,
      helpValue: 'FIELD',
    }),
    limit: Flags.string({ summary: 'Show so many at most.', helpValue: 'N' }),
    chart: Flags.boolean({ summary: 'Show how many there are of each rarity; of crabs, of each name.' }),
    ...serviceFlags,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(List)
    const { kind, named } = subjectOf(args)
    const query = readCatchQuery(flags, this.io.clock.now())
    if (flags.chart) this.checkOutput(flags, countColumns(countedBy(kind)))
    else if (kind === 'fish') this.checkOutput(flags, fishColumns(true))
    else this.checkOutput(flags, crabColumns(true))
    const user = needUser(this.io, userOf(named, flags.user), `Name one: fish-cli list ${PLURALS[kind]} USER`, flags)
    const gamemode = needGamemode(this.io, flags.gamemode, flags)
    const wantsDetail = flags.detail || (!flags.chart && asksForDetail(flags)) || needsTime(query)
    const options = { user, gamemode, signal: this.io.interrupted() }
    const found = await read(
      await openClient(this.io, flags),
      kind,
      wantsDetail ? { ...options, detail: 'full' as const } : options,
    )
    const chosen = chooseCatches(found.catches, query)
    const about = { user: found.user, gamemode }
    const why = found.catches.length === 0 ? 'yet' : 'of that sort'
    const empty = `${found.user} has no ${PLURALS[kind]} in ${gamemode} ${why}.`
    if (flags.chart) {
      const counts = kind === 'fish' ? countByRarity(chosen) : countByName(chosen)
      const by = countedBy(kind)
      return this.printChart(flags, {
        bars: counts.map(({ label, count, style }) => ({ label, value: count, style })),
        rows: chosen.length === 0 ? [] : counts,
        columns: countColumns(by),
        document: () => ({ ...about, kind, counts: counts.map(({ label, count }) => ({ [by]: label, count })) }),
        empty,
      })
    }
    const columns = (
      kind === 'fish' ? fishColumns(flags.detail) : crabColumns(flags.detail)
    ) as readonly Column<Catch>[]
    // What is only needed to sort or to leave out is not shown.
    const rows = wantsDetail && !flags.detail && !asksForDetail(flags) ? chosen.map(withoutDetail) : chosen
    return this.printRows(flags, { rows, columns, document: (shown) => ({ ...about, [kind]: shown }), empty })
  }
}

/** `list Alex` means the fish of Alex. */
function subjectOf(args: { readonly kind?: string | undefined; readonly user?: string | undefined }): {
  readonly kind: Kind
  readonly named: string | undefined
} {
  const kind = args.kind === undefined ? 'fish' : KINDS.get(args.kind)
  if (kind) return { kind, named: args.user }
  if (args.user === undefined) return { kind: 'fish', named: args.kind }
  throw usageError('What to list must be fish or crabs.', 'Such as: fish-cli list crabs USER')
}

function userOf(argument: string | undefined, flag: string | undefined): string | undefined {
  if (argument === undefined || flag === undefined || argument === flag) return argument ?? flag
  throw usageError('USER and --user name different players.', 'Leave one out.')
}

function countedBy(kind: Kind): 'rarity' | 'name' {
  return kind === 'fish' ? 'rarity' : 'name'
}

function asksForDetail({ fields = '' }: OutputFlags): boolean {
  const names = fields.toLowerCase().split(/\s*,\s*/)
  return DETAIL_FIELDS.some((field) => names.includes(field.toLowerCase()))
}

async function read(
  client: Client,
  kind: Kind,
  options: Parameters<Client['fish']['list']>[0],
): Promise<{ readonly user: string; readonly catches: readonly (Fish | Crab)[] }> {
  if (kind === 'fish') {
    const { user, fish } = await client.fish.list(options)
    return { user, catches: fish }
  }
  const { user, crab } = await client.crabs.list(options)
  return { user, catches: crab }
}

function withoutDetail({ caughtAt: _, id: __, ...rest }: Catch): Catch {
  return rest
}
