import type { Client } from '@fish-crab/sdk'
import {
  type CatchList,
  type CatchListWish,
  catchList,
  countFields,
  type FoundCatches,
  KIND_PLURALS,
  readCatches,
} from '../catches/catch-list.ts'
import type { CatchQuery } from '../catches/catch-query.ts'
import { openClient, plainFetch } from '../client/client.ts'
import type { ServiceFlags } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import type { Column } from '../output/columns.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { createRowStream, type RowStream } from '../output/rows.ts'
import { screenOf } from '../output/screen.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { canRewrite, createLiveView, listViewText } from './live-view.ts'
import {
  allowanceOf,
  beginningText,
  keepLooking,
  type Look,
  mayPass,
  overText,
  type Times,
  type Trouble,
  troubleOf,
} from './poll-until.ts'

/** What `list --watch` is told. */
interface ListWatch extends ListShowWish {
  readonly flags: ServiceFlags & OutputFlags
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
export async function watchList(io: Context, watch: ListWatch): Promise<number> {
  const { flags, user, wishAt, intervalMs } = watch
  const signal = io.interrupted()
  const fetch = plainFetch(io.env)
  const client = await openClient(io, flags, fetch ? { fetch: conditionalFetch(fetch) } : {})
  const isLive = formatOf(flags) === 'table' && canRewrite(io)
  const show = isLive ? liveShow(io, watch) : streamShow(io, watch)
  let trouble: Trouble | undefined
  let hasSeen = false
  let hasLooked = false
  const look = () => lookAt(client, io, { user, signal, wish: wishAt(io.clock.now()), hasLooked })
  try {
    const ended = await keepLooking<FoundCatches>({
      clock: io.clock,
      signal,
      intervalMs,
      look,
      onSeen(found, times) {
        hasSeen = true
        hasLooked = true
        if (trouble) show.say(overText(trouble, times.at))
        trouble = undefined
        return show.seen(found, times)
      },
      onFailed(error, times) {
        hasLooked = true
        if (!mayPass(error, hasSeen)) throw error
        const before = trouble
        trouble = troubleOf(error, times.at, before, hasSeen)
        show.trouble(trouble, times)
        if (!before) show.say(beginningText(trouble))
      },
    })
    return ended === 'enough' ? EXIT.ok : EXIT.interrupted
  } finally {
    show.end()
  }
}

interface LookWish {
  readonly user: string
  readonly signal: AbortSignal
  readonly wish: CatchListWish
  /** From then on the next look is the further try. */
  readonly hasLooked: boolean
}

async function lookAt(
  client: Client,
  { clock }: Context,
  { user, signal, wish, hasLooked }: LookWish,
): Promise<Look<FoundCatches>> {
  const { kind, gamemode } = wish
  const options = { user, gamemode, signal, detail: 'full' as const }
  const found = await readCatches(client, kind, hasLooked ? { ...options, maxRetries: 0 } : options)
  return { seen: found, allowance: allowanceOf(found.rateLimit, found.date, clock.now()) }
}

/** What a show is told. */
interface ListShowWish {
  readonly flags: OutputFlags
  /** What to show at a moment, milliseconds since 1970. */
  readonly wishAt: (now: number) => CatchListWish
  /** Tells a person. */
  readonly note: (text: string) => void
}

/** How a collection that was read is shown. */
interface ListShow {
  /** @returns whether that was all there is to show */
  seen(found: FoundCatches, times: Times): 'enough' | undefined
  /** There was no answer, or, with `undefined`, there is one again. */
  trouble(trouble: Trouble | undefined, times: Times): void
  say(text: string): void
  end(): void
}

/** On a terminal: a view that is drawn anew. */
function liveShow(io: Context, { flags, wishAt }: ListShowWish): ListShow {
  const view = createLiveView(io)
  let last: { readonly found: FoundCatches; readonly at: number } | undefined
  const draw = (nextAt: number, trouble?: Trouble) => {
    if (!last) return
    const { found, at } = last
    const state = { found, wish: wishAt(io.clock.now()), times: { at, nextAt }, trouble, fields: flags.fields }
    view.show((screen) => listViewText(state, screen))
  }
  return {
    seen(found, { at, nextAt }) {
      last = { found, at }
      draw(nextAt)
      return undefined
    },
    trouble: (trouble, { nextAt }) => draw(nextAt, trouble),
    say: (text) => view.say(text),
    end: () => view.end(),
  }
}

/** Elsewhere: a line for each new catch. */
function streamShow(io: Context, { flags, wishAt, note }: ListShowWish): ListShow {
  const newsOf = createCatchNews()
  const { kind, chart, query } = wishAt(io.clock.now())
  const print = streamPrinter(io, chart ? { ...flags, fields: countFields(kind, flags.fields) } : flags)
  let left = query.limit ?? Number.POSITIVE_INFINITY
  let hasBegun = false
  return {
    seen(found) {
      const wish = wishAt(io.clock.now())
      if (!hasBegun) {
        const count = `${found.catches.length} so far`
        note(`fish-cli: Watching the ${KIND_PLURALS[kind]} of ${found.user} in ${wish.gamemode}, ${count}.`)
      }
      hasBegun = true
      left -= print(newsOf(found, wish), left)
      return left > 0 ? undefined : 'enough'
    },
    trouble: () => {},
    // Also under --json: lines that do not come say nothing.
    say: (text) => io.line.say(text),
    end: () => {},
  }
}

/** Prints what is new, so many at most. @returns how many it printed */
function streamPrinter(io: Context, flags: OutputFlags): (list: CatchList, most: number) => number {
  let stream: RowStream<object> | undefined
  return ({ output }, most) => {
    // One list is like the other: what is counted stays counted.
    stream ??= createRowStream(output.columns as readonly Column<object>[], flags, screenOf(io, io.stdout))
    const rows = output.rows.slice(0, most)
    const text = stream(rows)
    if (text !== '') {
      io.line.clear()
      io.stdout.write(text)
    }
    return rows.length
  }
}

/** Tells of each look what is new since the one before. */
type CatchNews = (found: FoundCatches, wish: CatchListWish) => CatchList

/**
 * Finds out what is new by the records of catches, however many are removed meanwhile. At the first look nothing is, but
 * what was caught since the moment that `--since` names. Counts are new where they are others than before.
 */
function createCatchNews(): CatchNews {
  let known: ReadonlySet<string | undefined> | undefined
  let counts: ReadonlyMap<string, number> = new Map()
  return (found, wish) => {
    // How many there are at most goes for all that is told, not for each look.
    const all: CatchListWish = { ...wish, query: without('limit', wish.query) }
    if (wish.chart) {
      const list = catchList(found, all)
      if (!list.counted) return list
      const rows = list.output.rows.filter(({ label, count }) => count !== (counts.get(label) ?? 0))
      counts = new Map(list.output.rows.map(({ label, count }) => [label, count]))
      return { ...list, output: { ...list.output, rows } }
    }
    const before = known
    known = new Set(found.catches.map(({ id }) => id))
    if (!before && wish.query.since === undefined) return catchList({ ...found, catches: [] }, all)
    // Whatever is new was caught since: some clock may be wrong.
    const query = before ? without('since', all.query) : all.query
    const catches = before ? found.catches.filter(({ id }) => !before.has(id)) : found.catches
    return catchList({ ...found, catches }, { ...all, query })
  }
}

function without(name: keyof CatchQuery, query: CatchQuery): CatchQuery {
  return { ...query, [name]: undefined }
}
