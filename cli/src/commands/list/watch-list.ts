import { EXIT } from '../../core/errors.ts'
import { isTransient, type Outage, outageOf, outageText, pollUntil, recoveryText } from '../../kit/poll-until.ts'
import { nodeFetch } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'
import type { Text } from '../../terminal/text.ts'
import {
  buildCatchList,
  type CatchList,
  type CatchListOptions,
  type Collection,
  fetchCollection,
  KIND_PLURALS,
} from './catch-list.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { listViewLines } from './list-view.ts'

interface ViewOptions {
  /** Returns the options at a time in milliseconds since 1970. */
  readonly optionsAt: (now: number) => CatchListOptions
}

interface WatchListOptions extends ViewOptions {
  readonly user: string
}

/** The interval between attempts to connect to the service. */
const RETRY_INTERVAL_MS = 15_000

/**
 * Lists catches and each new catch. Reports an outage and waits for its end, even at the start.
 * @throws errors that a
 * retry cannot fix
 */
export async function watchList(session: Session, options: WatchListOptions): Promise<number> {
  const { user, optionsAt } = options
  const { clock, env, signal, terminal } = session
  const fetch = nodeFetch(env)
  const client = await session.client(fetch ? { fetch: conditionalFetch(fetch) } : {})
  const { json, csv } = terminal.flags
  const isLive = !json && !csv && terminal.canRewrite
  const view = await (isLive ? createLiveList : createListStream)(session, options)
  const { kind, gamemode } = optionsAt(clock.now())
  const call = { user, gamemode, maxRetries: 0 }
  let collection: Collection | undefined
  let outage: Outage | undefined

  function disconnect(error: unknown): void {
    const isNew = outage === undefined
    outage = outageOf(error, clock.now(), outage, collection !== undefined)
    view.showOutage(outage)
    if (isNew) view.say(outageText(outage))
  }

  function reconnect(): void {
    if (!outage) return
    view.say(recoveryText(outage, clock.now()))
    outage = undefined
    view.showOutage(undefined)
  }

  async function refresh(): Promise<'done' | undefined> {
    const last = collection && idsOf(collection)
    // One request, because a conditional request for an unchanged collection is cheap, but each page would count.
    collection = await fetchCollection(client, kind, { ...call, signal, detail: 'full' })
    return view.show(collection, last && collection.catches.filter(({ id }) => !last.has(id)))
  }

  /** Shows the list and each new catch. Returns when `--limit` is reached. */
  async function follow(): Promise<void> {
    if ((await refresh()) === 'done') return
    const ending = new AbortController()
    const connected = Promise.withResolvers<void>()
    const entries = client.watch({
      ...call,
      kind,
      signal: AbortSignal.any([signal, ending.signal]),
      onConnect() {
        reconnect()
        connected.resolve()
      },
      onDisconnect: disconnect,
      onRemoved({ id: removed }) {
        if (!collection) return
        collection = { ...collection, catches: collection.catches.filter(({ id }) => id !== removed) }
        view.show(collection, [])
      },
    })
    try {
      const first = entries.next()
      await Promise.race([first, connected.promise])
      // Reads the list again, to include catches that were stored between the first read and the connection.
      if ((await refresh()) === 'done' || !collection) return
      const listed = idsOf(collection)
      for (let next = await first; !next.done; next = await entries.next()) {
        const { kind: _, gamemode: __, eventId: ___, ...caught } = next.value
        if (listed.has(caught.id)) continue
        collection = { ...collection, catches: [...collection.catches, caught] }
        if (view.show(collection, [caught]) === 'done') return
      }
    } finally {
      ending.abort()
    }
  }

  try {
    const end = await pollUntil<void>({
      clock,
      signal,
      intervalMs: RETRY_INTERVAL_MS,
      poll: async () => ({ value: await follow() }),
      onResult: () => 'done',
      onError(error) {
        if (!isTransient(error, collection !== undefined)) throw error
        disconnect(error)
      },
    })
    return end === 'done' ? EXIT.ok : EXIT.interrupted
  } finally {
    view.end()
  }
}

function idsOf({ catches }: Collection): ReadonlySet<string | undefined> {
  return new Set(catches.map(({ id }) => id))
}

interface ListView {
  /**
   * @param added The new catches in the collection, or `undefined` on the first call
   * @returns `'done'` when `--limit` is reached
   */
  show(collection: Collection, added: Collection['catches'] | undefined): 'done' | undefined
  showOutage(outage: Outage | undefined): void
  say(text: Text): void
  end(): void
}

async function createLiveList({ clock, terminal }: Session, { optionsAt }: ViewOptions): Promise<ListView> {
  const view = await terminal.liveView()
  let last: { readonly collection: Collection; readonly at: number } | undefined
  let outage: Outage | undefined
  let drawing: NodeJS.Immediate | undefined
  const draw = () => {
    drawing = undefined
    if (!last) return
    const state = { ...last, options: optionsAt(clock.now()), outage }
    view.show((screen) => listViewLines(state, screen))
  }
  return {
    show(collection) {
      last = { collection, at: clock.now() }
      // Catches that arrive together are drawn together.
      drawing ??= setImmediate(draw)
      return undefined
    },
    showOutage(current) {
      outage = current
      draw()
    },
    say: (text) => view.say(text),
    end() {
      clearImmediate(drawing)
      view.end()
    },
  }
}

async function createListStream({ clock, terminal }: Session, { optionsAt }: ViewOptions): Promise<ListView> {
  // All lists of one run have the same columns.
  const { columns } = buildCatchList({ user: '', catches: [] }, { ...optionsAt(clock.now()), chart: false }).output
  const print = await terminal.rowStream(columns as readonly Column<object>[])
  let remaining = optionsAt(clock.now()).query.limit ?? Number.POSITIVE_INFINITY

  function changesOf(collection: Collection, added: Collection['catches'] | undefined): CatchList {
    const { query, ...options } = optionsAt(clock.now())
    // --limit applies to the whole run.
    const all: CatchListOptions = { ...options, chart: false, query: { ...query, limit: undefined } }
    if (!added) return buildCatchList(query.since === undefined ? { ...collection, catches: [] } : collection, all)
    // A new catch counts as caught after the start, regardless of its timestamp.
    return buildCatchList({ ...collection, catches: added }, { ...all, query: { ...all.query, since: undefined } })
  }

  return {
    show(collection, added) {
      if (!added) {
        const { kind, gamemode } = optionsAt(clock.now())
        const subject = `the ${KIND_PLURALS[kind]} of ${collection.user} in ${gamemode}`
        terminal.note(`fish-cli: Watching ${subject}, ${collection.catches.length} so far.`)
      }
      const { output } = changesOf(collection, added)
      const rows = output.rows.slice(0, remaining)
      print(rows)
      remaining -= rows.length
      return remaining > 0 ? undefined : 'done'
    },
    showOutage: () => {},
    // Messages are also printed with --json, because otherwise an outage would look like a time without catches.
    say: (text) => terminal.say(text),
    end: () => {},
  }
}
