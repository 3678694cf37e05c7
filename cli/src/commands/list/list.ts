import { LIMITS } from '@fish-crab/sdk/constants'
import { commandLine } from '../../core/argv.ts'
import { EXIT } from '../../core/errors.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { gamemodeFlag, outputFlags, serviceFlags } from '../../kit/flags.ts'
import type { Column } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import {
  buildCatchList,
  type CatchListOptions,
  type Collection,
  catchPages,
  fetchCatches,
  KIND_PLURALS,
  kindNamed,
  unknownKind,
} from './catch-list.ts'
import { needsTime, parseCatchQuery, SORT_FIELDS, selectCatches } from './catch-query.ts'

export const listCommand = defineCommand({
  summary: 'List what a player has caught, oldest first.',
  description:
    'Collections are public, so you need no login and no key. Without USER, the command lists your own collection.',
  examples: [
    'fish-cli list fish Alex --gamemode earth',
    'fish-cli list crabs Alex --gamemode earth --detail',
    {
      description: 'List the ten latest gold or mythical fish:',
      command: 'fish-cli list --filter rarity=3,7 --sort=-caughtAt --limit 10',
    },
    { description: 'Catches of the last week, by rarity:', command: 'fish-cli list --since 7d --chart' },
    { description: 'The fish of other players that you lack:', command: 'fish-cli list --missing' },
    { description: 'Follow new catches:', command: 'fish-cli list Alex --watch' },
    { description: 'Export for a spreadsheet:', command: 'fish-cli list --detail --csv' },
  ],
  args: {
    kind: Args.string({ description: 'fish or crabs (default fish)' }),
    user: Args.string({ description: 'the player (FISH_USER)' }),
  },
  flags: {
    ...gamemodeFlag,
    detail: Flags.boolean({
      char: 'd',
      summary: 'Also show the local time of each catch and the end of its record id.',
    }),
    filter: Flags.string({
      summary:
        'Only catches whose name contains TEXT (or name=TEXT), or only catches of these rarities: rarity=gold,7.',
      helpValue: 'TEXT',
    }),
    since: Flags.string({
      summary:
        'Only catches since WHEN: a local date or time (2026-01-31, 2026-01-31T12:00), or how long ago (90m, 7d).',
      helpValue: 'WHEN',
    }),
    sort: Flags.string({
      summary: `Sort by ${SORT_FIELDS.join(', ')}; prefix with - for descending order.`,
      helpValue: 'FIELD',
    }),
    limit: Flags.string({ summary: 'Show at most N catches.', helpValue: 'N' }),
    chart: Flags.boolean({ summary: 'Draw a bar chart of the counts by rarity, or of crabs by name.' }),
    missing: Flags.boolean({ summary: 'Show the known species that the player lacks, instead of catches.' }),
    watch: Flags.boolean({ char: 'w', summary: 'Keep running and show each new catch. Stop with Ctrl-C.' }),
    ...serviceFlags,
    ...outputFlags,
  },
  completion: {
    kind: { ...words(['fish', 'crabs']), local: 'users' },
    sort: { words: SORT_FIELDS.flatMap((value) => [{ value }, { value: `-${value}`, description: 'descending' }]) },
  },

  async run({ session, terminal, args, flags }) {
    const { kind, named } = subjectOf(args)
    const query = parseCatchQuery(flags, session.clock.now())
    const own = session.withFlags({ ...flags, user: named })
    const user = own.user(`Name a player, such as ${commandLine('list', KIND_PLURALS[kind], 'Alex')}`)
    const gamemode = await own.gamemode()
    const { chart = false, detail = false } = flags
    const listOptions = { kind, gamemode, query, chart, detail }
    if (flags.missing) {
      const { checkMissingFlags, listMissing } = await import('./missing-species.ts')
      checkMissingFlags(flags)
      return listMissing(own, terminal, { kind, user, gamemode })
    }
    if (flags.watch) {
      const { watchList } = await import('./watch-list.ts')
      // A relative --since is resolved again each time that the list is shown.
      const optionsAt = (now: number) => ({ ...listOptions, query: parseCatchQuery(flags, now) })
      return watchList(own, { user, optionsAt })
    }
    const client = await own.client()
    const { sort, limit } = query
    const needsAll = sort !== undefined || limit === undefined
    const isWhole = query.filter === undefined && query.since === undefined
    const options = {
      user,
      gamemode,
      signal: session.signal,
      ...((detail || needsTime(query)) && { detail: 'full' as const }),
      ...(!needsAll && isWhole && { limit: Math.min(limit, LIMITS.pageSize) }),
    }
    if (flags.csv && !chart && sort === undefined)
      return printPages(terminal, catchPages(client, kind, options), listOptions)
    const progress = terminal.progress({ unit: 'catches', label: 'Reading' })
    let [read, found] = [0, 0]
    const collection = await fetchCatches(client, kind, options, ({ catches }) => {
      read += catches.length
      if (read > LIMITS.pageSize) progress.update(read)
      if (needsAll) return false
      found += selectCatches(catches, query).length
      return found >= limit
    }).finally(progress.end)
    const list = buildCatchList(collection, listOptions)
    return list.counted ? terminal.printChart({ ...list.output, charts: [list.bars] }) : terminal.printRows(list.output)
  },
})

/** Prints the rows of CSV as the pages arrive. A table needs all rows for its widths, and JSON is one document. */
async function printPages(
  terminal: Terminal,
  pages: AsyncIterable<Collection>,
  options: CatchListOptions,
): Promise<number> {
  const { limit = Number.POSITIVE_INFINITY } = options.query
  let found = 0
  let empty: string | undefined
  let print: ((rows: readonly object[]) => void) | undefined
  for await (const page of pages) {
    const { output } = buildCatchList(page, { ...options, query: { ...options.query, limit: limit - found } })
    print ??= await terminal.rowStream(output.columns as readonly Column<object>[])
    print(output.rows)
    found += output.rows.length
    empty = output.empty
    if (found === limit) break
  }
  if (found === 0 && empty !== undefined) terminal.note(empty)
  return EXIT.ok
}

/** `list Alex` lists the fish of Alex. */
function subjectOf(args: { kind?: string | undefined; user?: string | undefined }) {
  const kind = kindNamed(args.kind)
  if (kind) return { kind, named: args.user }
  if (args.user === undefined) return { kind: 'fish' as const, named: args.kind }
  throw unknownKind('fish-cli list crabs Alex')
}
