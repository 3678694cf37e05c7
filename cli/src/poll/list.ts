import {
  buildCatchList,
  type CatchList,
  type CatchListOptions,
  type Collection,
  countedValue,
  fetchCatches,
  KIND_PLURALS,
} from '../client/catch-list.ts'
import { nodeFetch, openClient } from '../client/client.ts'
import type { Target } from '../config/target.ts'
import type { Context, Notes } from '../core/context.ts'
import { EXIT } from '../core/errors.ts'
import { formatOf, type OutputFlags } from '../core/format.ts'
import type { Column } from '../output/columns.ts'
import { createRowStream, type RowStream } from '../output/rows.ts'
import { screenOf } from '../output/screen.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { canRewrite, createLiveView, listViewText } from './live-view.ts'
import {
  isTransient,
  type Outage,
  outageOf,
  outageText,
  type PollTimes,
  pollUntil,
  rateLimitWindow,
  recoveryText,
} from './poll-until.ts'

interface ViewOptions {
  readonly flags: OutputFlags
  /** What to list at a time in milliseconds since 1970. */
  readonly optionsAt: (now: number) => CatchListOptions
}

interface WatchListOptions extends ViewOptions {
  readonly target: Target
  readonly user: string
  readonly intervalMs: number
}

/** An outage is reported and waited out, also at the start. @throws errors that polling again cannot fix */
export async function watchList(context: Context & Notes, options: WatchListOptions): Promise<number> {
  const { flags, target, user, optionsAt, intervalMs } = options
  const { clock } = context
  const signal = context.interrupted()
  const fetch = nodeFetch(context.env)
  const client = await openClient(context, target, fetch ? { fetch: conditionalFetch(fetch) } : {})
  const isLive = formatOf(flags) === 'table' && canRewrite(context)
  const view = isLive ? createLiveList(context, options) : createListStream(context, options)
  let outage: Outage | undefined
  let hasConnected = false
  try {
    const end = await pollUntil<Collection>({
      clock,
      signal,
      intervalMs,
      async poll() {
        const { kind, gamemode } = optionsAt(clock.now())
        const value = await fetchCatches(client, kind, { user, gamemode, signal, detail: 'full', maxRetries: 0 })
        return { value, rateLimit: rateLimitWindow(value.rateLimit, value.date, clock.now()) }
      },
      onResult(collection, times) {
        hasConnected = true
        if (outage) view.say(recoveryText(outage, times.at))
        outage = undefined
        return view.update(collection, times)
      },
      onError(error, times) {
        if (!isTransient(error, hasConnected)) throw error
        const isNew = outage === undefined
        outage = outageOf(error, times.at, outage, hasConnected)
        view.showOutage(outage, times)
        if (isNew) view.say(outageText(outage))
      },
    })
    return end === 'done' ? EXIT.ok : EXIT.interrupted
  } finally {
    view.end()
  }
}

interface ListView {
  /** @returns `'done'` when `--limit` is reached */
  update(collection: Collection, times: PollTimes): 'done' | undefined
  showOutage(outage: Outage, times: PollTimes): void
  say(text: string): void
  end(): void
}

function createLiveList(context: Context, { flags, optionsAt }: ViewOptions): ListView {
  const view = createLiveView(context)
  let last: { readonly collection: Collection; readonly at: number } | undefined
  const draw = (nextAt: number, outage?: Outage) => {
    if (!last) return
    const { collection, at } = last
    const options = optionsAt(context.clock.now())
    const state = { collection, options, times: { at, nextAt }, outage, fields: flags.fields }
    view.show((screen) => listViewText(state, screen))
  }
  return {
    update(collection, { at, nextAt }) {
      last = { collection, at }
      draw(nextAt)
      return undefined
    },
    showOutage: (outage, { nextAt }) => draw(nextAt, outage),
    say: (text) => view.say(text),
    end: () => view.end(),
  }
}

function createListStream(context: Context & Notes, { flags, optionsAt }: ViewOptions): ListView {
  const diff = createCatchDiff()
  const { kind, query } = optionsAt(context.clock.now())
  let stream: RowStream<object> | undefined
  let left = query.limit ?? Number.POSITIVE_INFINITY
  let hasStarted = false
  return {
    update(collection) {
      const options = optionsAt(context.clock.now())
      if (!hasStarted) {
        const count = `${collection.catches.length} so far`
        context.note(
          `fish-cli: Watching the ${KIND_PLURALS[kind]} of ${collection.user} in ${options.gamemode}, ${count}.`,
        )
      }
      hasStarted = true
      const { output } = diff(collection, options)
      // All lists of one run have the same columns.
      stream ??= createRowStream(output.columns as readonly Column<object>[], flags, screenOf(context, context.stdout))
      const rows = output.rows.slice(0, left)
      const text = stream(rows)
      if (text !== '') {
        context.line.clear()
        context.stdout.write(text)
      }
      left -= rows.length
      return left > 0 ? undefined : 'done'
    },
    showOutage: () => {},
    // With --json too: missing lines alone would not show an outage.
    say: (text) => context.line.say(text),
    end: () => {},
  }
}

/** The first call returns only what `--since` asks for. By id, so removed catches do not matter. */
function createCatchDiff(): (collection: Collection, options: CatchListOptions) => CatchList {
  let known: ReadonlySet<string | undefined> | undefined
  let counts: ReadonlyMap<string, number> = new Map()
  return (collection, options) => {
    // --limit applies to the whole run, not to each poll.
    const all: CatchListOptions = { ...options, query: { ...options.query, limit: undefined } }
    if (options.chart) {
      const list = buildCatchList(collection, all)
      if (!list.counted) return list
      const rows = list.output.rows.filter((row) => row.count !== (counts.get(countedValue(row)) ?? 0))
      counts = new Map(list.output.rows.map((row) => [countedValue(row), row.count]))
      return { ...list, output: { ...list.output, rows } }
    }
    const before = known
    known = new Set(collection.catches.map(({ id }) => id))
    if (!before && options.query.since === undefined) return buildCatchList({ ...collection, catches: [] }, all)
    // A new catch counts as caught since then, regardless of its timestamp.
    const query = before ? { ...all.query, since: undefined } : all.query
    const catches = before ? collection.catches.filter(({ id }) => !before.has(id)) : collection.catches
    return buildCatchList({ ...collection, catches }, { ...all, query })
  }
}
