import type { Client } from '@fish-crab/sdk'
import {
  buildCatchList,
  type CatchList,
  type CatchListOptions,
  type Collection,
  countFields,
  fetchCatches,
  KIND_PLURALS,
} from '../catches/catch-list.ts'
import type { CatchQuery } from '../catches/catch-query.ts'
import { nodeFetch, openClient } from '../client/client.ts'
import type { Target } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { createRowStream, type RowStream } from '../output/rows.ts'
import { screenOf } from '../output/screen.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { canRewrite, createLiveView, listViewText } from './live-view.ts'
import {
  isTransient,
  type Outage,
  outageOf,
  outageText,
  type PollResult,
  type PollTimes,
  pollUntil,
  rateLimitWindow,
  recoveryText,
} from './poll-until.ts'

/** What `list --watch` is told. */
interface WatchListOptions extends ListViewOptions {
  readonly flags: OutputFlags
  readonly target: Target
  readonly user: string
  readonly intervalMs: number
}

/**
 * `list --watch`: a view that is drawn anew on a terminal, elsewhere a line for each new catch. A service that does not
 * answer is told and waited for, also from the beginning.
 *
 * @returns the exit status: interrupted, or with `--limit` done
 * @throws what no further look can change
 */
export async function watchList(context: Context, watch: WatchListOptions): Promise<number> {
  const { flags, target, user, wishAt, intervalMs } = watch
  const signal = context.interrupted()
  const fetch = nodeFetch(context.env)
  const client = await openClient(context, target, fetch ? { fetch: conditionalFetch(fetch) } : {})
  const isLive = formatOf(flags) === 'table' && canRewrite(context)
  const show = isLive ? createLiveList(context, watch) : createListStream(context, watch)
  let trouble: Outage | undefined
  let hasSeen = false
  let hasLooked = false
  const poll = () => fetchList(client, context, { user, signal, wish: wishAt(context.clock.now()), hasLooked })
  try {
    const ended = await pollUntil<Collection>({
      clock: context.clock,
      signal,
      intervalMs,
      poll,
      onResult(found, times) {
        hasSeen = true
        hasLooked = true
        if (trouble) show.say(recoveryText(trouble, times.at))
        trouble = undefined
        return show.update(found, times)
      },
      onError(error, times) {
        hasLooked = true
        if (!isTransient(error, hasSeen)) throw error
        const before = trouble
        trouble = outageOf(error, times.at, before, hasSeen)
        show.outage(trouble, times)
        if (!before) show.say(outageText(trouble))
      },
    })
    return ended === 'enough' ? EXIT.ok : EXIT.interrupted
  } finally {
    show.end()
  }
}

interface FetchOptions {
  readonly user: string
  readonly signal: AbortSignal
  readonly wish: CatchListOptions
  /** From then on the next look is the further try. */
  readonly hasLooked: boolean
}

async function fetchList(
  client: Client,
  { clock }: Context,
  { user, signal, wish, hasLooked }: FetchOptions,
): Promise<PollResult<Collection>> {
  const { kind, gamemode } = wish
  const options = { user, gamemode, signal, detail: 'full' as const }
  const found = await fetchCatches(client, kind, hasLooked ? { ...options, maxRetries: 0 } : options)
  return { value: found, rateLimit: rateLimitWindow(found.rateLimit, found.date, clock.now()) }
}

/** What a show is told. */
interface ListViewOptions {
  readonly flags: OutputFlags
  /** What to show at a moment, milliseconds since 1970. */
  readonly wishAt: (now: number) => CatchListOptions
  /** Tells a person. */
  readonly note: (text: string) => void
}

/** How a collection that was read is shown. */
interface ListView {
  /** @returns whether that was all there is to show */
  update(found: Collection, times: PollTimes): 'enough' | undefined
  /** There was no answer, or, with `undefined`, there is one again. */
  outage(trouble: Outage | undefined, times: PollTimes): void
  say(text: string): void
  end(): void
}

/** On a terminal: a view that is drawn anew. */
function createLiveList(context: Context, { flags, wishAt }: ListViewOptions): ListView {
  const view = createLiveView(context)
  let last: { readonly found: Collection; readonly at: number } | undefined
  const draw = (nextAt: number, trouble?: Outage) => {
    if (!last) return
    const { found, at } = last
    const state = {
      collection: found,
      options: wishAt(context.clock.now()),
      times: { at, nextAt },
      outage: trouble,
      fields: flags.fields,
    }
    view.show((screen) => listViewText(state, screen))
  }
  return {
    update(found, { at, nextAt }) {
      last = { found, at }
      draw(nextAt)
      return undefined
    },
    outage: (trouble, { nextAt }) => draw(nextAt, trouble),
    say: (text) => view.say(text),
    end: () => view.end(),
  }
}

/** Elsewhere: a line for each new catch. */
function createListStream(context: Context, { flags, wishAt, note }: ListViewOptions): ListView {
  const newsOf = createCatchDiff()
  const { kind, chart, query } = wishAt(context.clock.now())
  const print = streamPrinter(context, chart ? { ...flags, fields: countFields(kind, flags.fields) } : flags)
  let left = query.limit ?? Number.POSITIVE_INFINITY
  let hasBegun = false
  return {
    update(found) {
      const wish = wishAt(context.clock.now())
      if (!hasBegun) {
        const count = `${found.catches.length} so far`
        note(`fish-cli: Watching the ${KIND_PLURALS[kind]} of ${found.user} in ${wish.gamemode}, ${count}.`)
      }
      hasBegun = true
      left -= print(newsOf(found, wish), left)
      return left > 0 ? undefined : 'enough'
    },
    outage: () => {},
    // Also under --json: lines that do not come say nothing.
    say: (text) => context.line.say(text),
    end: () => {},
  }
}

/** Prints what is new, so many at most. @returns how many it printed */
function streamPrinter(context: Context, flags: OutputFlags): (list: CatchList, most: number) => number {
  let stream: RowStream<object> | undefined
  return ({ output }, most) => {
    // One list is like the other: what is counted stays counted.
    stream ??= createRowStream(output.columns as readonly Column<object>[], flags, screenOf(context, context.stdout))
    const rows = output.rows.slice(0, most)
    const text = stream(rows)
    if (text !== '') {
      context.line.clear()
      context.stdout.write(text)
    }
    return rows.length
  }
}

/** Tells of each look what is new since the one before. */
type CatchDiff = (found: Collection, wish: CatchListOptions) => CatchList

/**
 * Finds out what is new by the records of catches, however many are removed meanwhile. At the first look nothing is, but
 * what was caught since the moment that `--since` names. Counts are new where they are others than before.
 */
function createCatchDiff(): CatchDiff {
  let known: ReadonlySet<string | undefined> | undefined
  let counts: ReadonlyMap<string, number> = new Map()
  return (found, wish) => {
    // How many there are at most goes for all that is told, not for each look.
    const all: CatchListOptions = { ...wish, query: without('limit', wish.query) }
    if (wish.chart) {
      const list = buildCatchList(found, all)
      if (!list.counted) return list
      const rows = list.output.rows.filter(({ label, count }) => count !== (counts.get(label) ?? 0))
      counts = new Map(list.output.rows.map(({ label, count }) => [label, count]))
      return { ...list, output: { ...list.output, rows } }
    }
    const before = known
    known = new Set(found.catches.map(({ id }) => id))
    if (!before && wish.query.since === undefined) return buildCatchList({ ...found, catches: [] }, all)
    // Whatever is new was caught since: some clock may be wrong.
    const query = before ? without('since', all.query) : all.query
    const catches = before ? found.catches.filter(({ id }) => !before.has(id)) : found.catches
    return buildCatchList({ ...found, catches }, { ...all, query })
  }
}

function without(name: keyof CatchQuery, query: CatchQuery): CatchQuery {
  return { ...query, [name]: undefined }
}
