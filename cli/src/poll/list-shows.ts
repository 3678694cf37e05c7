import {
  type CatchList,
  type CatchListWish,
  countFields,
  type FoundCatches,
  KIND_PLURALS,
} from '../catches/catch-list.ts'
import type { RunIo } from '../core/run-io.ts'
import type { Column } from '../output/columns.ts'
import type { OutputFlags } from '../output/format.ts'
import { screenOf } from '../output/screen.ts'
import { createCatchNews } from './catch-news.ts'
import { listViewText } from './list-view.ts'
import { createLiveView } from './live-view.ts'
import type { Times } from './poll-until.ts'
import { createRowStream, type RowStream } from './row-stream.ts'
import type { Trouble } from './trouble.ts'

/** What a show is told. */
export interface ListShowWish {
  readonly flags: OutputFlags
  /** What to show at a moment, milliseconds since 1970. */
  readonly wishAt: (now: number) => CatchListWish
  /** Tells a person. */
  readonly note: (text: string) => void
}

/** How a collection that was read is shown. */
export interface ListShow {
  /** @returns whether that was all there is to show */
  seen(found: FoundCatches, times: Times): 'enough' | undefined
  /** There was no answer, or, with `undefined`, there is one again. */
  trouble(trouble: Trouble | undefined, times: Times): void
  say(text: string): void
  end(): void
}

/** On a terminal: a view that is drawn anew. */
export function liveShow(io: RunIo, { flags, wishAt }: ListShowWish): ListShow {
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
export function streamShow(io: RunIo, { flags, wishAt, note }: ListShowWish): ListShow {
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
function streamPrinter(io: RunIo, flags: OutputFlags): (list: CatchList, most: number) => number {
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
