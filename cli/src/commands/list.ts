import { Args, Flags } from '@oclif/core'
import {
  buildCatchList,
  type CatchKind,
  countColumns,
  countedBy,
  countFields,
  crabColumns,
  DETAIL_FIELDS,
  fetchCatches,
  fishColumns,
  KIND_PLURALS,
} from '../catches/catch-list.ts'
import { needsTime, parseCatchQuery, SORT_FIELDS } from '../catches/catch-query.ts'
import { usageError } from '../core/errors.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { parseInterval, watchFlags } from '../poll/flags.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { gamemodeFlag, outputFlags, serviceFlags, userFlag } from './flags.ts'

const KINDS: ReadonlyMap<string, CatchKind> = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
])

/** `fish-cli list` */
export class List extends FishCommand {
  static override summary = 'List what a player has caught, oldest first.'
  static override description =
    'Everybody may see every collection: it takes no login and no key. Without USER, your own is listed.'
  static override examples = [
    '<%= config.bin %> list fish Alex --gamemode earth',
    '<%= config.bin %> list crabs Alex --gamemode earth --detail',
    {
      description: 'The ten latest that are gold or mythical:',
      command: '<%= config.bin %> list --filter rarity=3,7 --sort=-caughtAt --limit 10',
    },
    { description: 'How many of each rarity in the last week:', command: '<%= config.bin %> list --since 7d --chart' },
    { description: 'What is caught from now on, as it comes:', command: '<%= config.bin %> list Alex --watch' },
    { description: 'For a spreadsheet:', command: '<%= config.bin %> list -o csv --fields caughtAt,name,rarity' },
  ]
  static override args = {
    kind: Args.string({ description: 'fish or crabs; fish when left out', ignoreStdin: true }),
    user: Args.string({ description: 'the player (FISH_USER)', ignoreStdin: true }),
  }
  static override flags = {
    ...userFlag,
    ...gamemodeFlag,
    detail: Flags.boolean({
      char: 'd',
      summary: 'Show when each was caught too, in local time, and the end of the id of its record.',
    }),
    filter: Flags.string({
      summary: 'Only names that hold TEXT, as name=TEXT does; with rarity=gold,7 only these rarities.',
      helpValue: 'TEXT',
    }),
    since: Flags.string({
      summary: 'Only what was caught since a date or so long ago: 2026-01-31, 90m, 7d.',
      helpValue: 'WHEN',
    }),
    sort: Flags.string({
      summary: `Sort by ${SORT_FIELDS.join(', ')}; with - before it, the other way round.`,
      helpValue: 'FIELD',
    }),
    limit: Flags.string({ summary: 'Show at most N catches.', helpValue: 'N' }),
    chart: Flags.boolean({ summary: 'Draw how many there are of each rarity; of crabs, of each name.' }),
    ...watchFlags,
    ...serviceFlags,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(List)
    const { kind, named } = subjectOf(args)
    const intervalMs = parseInterval(flags)
    const query = parseCatchQuery(flags, this.io.clock.now())
    if (flags.chart) this.checkOutput(flags, countColumns(countedBy(kind)))
    else if (kind === 'fish') this.checkOutput(flags, fishColumns('whole'))
    else this.checkOutput(flags, crabColumns('whole'))
    // Only what was typed right needs a service, its profile and its secrets.
    const [{ requireGamemode, requireUser, resolveTarget }, { openClient }] = await Promise.all([
      import('../config/target.ts'),
      import('../client/client.ts'),
    ])
    const how = `Name one: fish-cli list ${KIND_PLURALS[kind]} USER`
    const target = resolveTarget(this.io, { ...flags, user: userOf(named, flags.user) })
    const user = requireUser(target, how)
    const gamemode = requireGamemode(target)
    const { chart = false, detail = false } = flags
    const wish = { kind, gamemode, query, chart, detail, namesDetail: !chart && asksForDetail(flags) }
    if (flags.watch) {
      const { watchList } = await import('../poll/list.ts')
      // How long ago something was is counted anew each time.
      const wishAt = (now: number) => ({ ...wish, query: parseCatchQuery(flags, now) })
      return watchList(this.io, {
        flags,
        target,
        user,
        wishAt,
        intervalMs,
        note: (text) => this.note(flags.json, text),
      })
    }
    const options = { user, gamemode, signal: this.io.interrupted() }
    const found = await fetchCatches(
      await openClient(this.io, target),
      kind,
      detail || wish.namesDetail || needsTime(query) ? { ...options, detail: 'full' as const } : options,
    )
    const list = buildCatchList(found, wish)
    if (!list.counted) return this.printRows(flags, list.output)
    const isLines = formatOf(flags) === 'jsonl'
    const shown = isLines ? { ...flags, fields: countFields(kind, flags.fields) } : flags
    return this.printChart(shown, { ...list.output, bars: list.bars })
  }
}

/** `list Alex` means the fish of Alex. */
function subjectOf(args: { readonly kind?: string | undefined; readonly user?: string | undefined }): {
  readonly kind: CatchKind
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

function asksForDetail({ fields = '' }: OutputFlags): boolean {
  const names = fields.toLowerCase().split(/\s*,\s*/)
  return DETAIL_FIELDS.some((field) => names.includes(field.toLowerCase()))
}
