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
import { parseInterval } from '../poll/flags.ts'
import { Args, defineCommand, Flags, words } from './define.ts'
import { gamemodeFlag, outputFlags, serviceFlags, userFlag, watchFlags } from './flags.ts'

const KINDS: ReadonlyMap<string, CatchKind> = new Map([
  ['fish', 'fish'],
  ['crab', 'crab'],
  ['crabs', 'crab'],
])

/** `fish-cli list` */
export const listCommand = defineCommand({
  summary: 'List what a player has caught, oldest first.',
  description: 'Everybody may see every collection: it takes no login and no key. Without USER, your own is listed.',
  examples: [
    'fish-cli list fish Alex --gamemode earth',
    'fish-cli list crabs Alex --gamemode earth --detail',
    {
      description: 'The ten latest that are gold or mythical:',
      command: 'fish-cli list --filter rarity=3,7 --sort=-caughtAt --limit 10',
    },
    { description: 'How many of each rarity in the last week:', command: 'fish-cli list --since 7d --chart' },
    { description: 'What is caught from now on, as it comes:', command: 'fish-cli list Alex --watch' },
    { description: 'For a spreadsheet:', command: 'fish-cli list -o csv --fields caughtAt,name,rarity' },
  ],
  args: {
    kind: Args.string({ description: 'fish or crabs; fish when left out', ignoreStdin: true }),
    user: Args.string({ description: 'the player (FISH_USER)', ignoreStdin: true }),
  },
  flags: {
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
  },
  columns: fishColumns('whole'),
  completion: {
    kind: { ...words(['fish', 'crabs']), local: 'users' },
    sort: { words: SORT_FIELDS.flatMap((value) => [{ value }, { value: `-${value}`, description: 'backwards' }]) },
  },

  columnsFor({ args, flags }) {
    const { kind } = subjectOf(args)
    if (flags.chart) return countColumns(countedBy(kind))
    return kind === 'fish' ? fishColumns('whole') : crabColumns('whole')
  },

  async run(context) {
    const { args, flags } = context
    const { kind, named } = subjectOf(args)
    const intervalMs = parseInterval(flags)
    const query = parseCatchQuery(flags, context.clock.now())
    // Only what was typed right needs a service, its profile and its secrets.
    const [{ requireGamemode, requireUser, resolveTarget }, { openClient }] = await Promise.all([
      import('../config/target.ts'),
      import('../client/client.ts'),
    ])
    const how = `Name one: fish-cli list ${KIND_PLURALS[kind]} USER`
    const target = resolveTarget(context, { ...flags, user: userOf(named, flags.user) })
    const user = requireUser(target, how)
    const gamemode = requireGamemode(target)
    const { chart = false, detail = false } = flags
    const wish = { kind, gamemode, query, chart, detail, namesDetail: !chart && asksForDetail(flags) }
    if (flags.watch) {
      const { watchList } = await import('../poll/list.ts')
      // A relative --since is resolved at each poll.
      const optionsAt = (now: number) => ({ ...wish, query: parseCatchQuery(flags, now) })
      return watchList(context, {
        flags,
        target,
        user,
        optionsAt,
        intervalMs,
        note: (text) => context.note(text),
      })
    }
    const options = { user, gamemode, signal: context.interrupted() }
    const found = await fetchCatches(
      await openClient(context, target),
      kind,
      detail || wish.namesDetail || needsTime(query) ? { ...options, detail: 'full' as const } : options,
    )
    const list = buildCatchList(found, wish)
    if (!list.counted) return context.printRows(list.output)
    const isLines = formatOf(flags) === 'jsonl'
    const shown = isLines ? { ...flags, fields: countFields(kind, flags.fields) } : flags
    return context.printChart({ ...list.output, bars: list.bars }, shown)
  },
})

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
