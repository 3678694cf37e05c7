import { timeOfDay } from '../../core/time.ts'
import type { Outage } from '../../kit/poll-until.ts'
import { renderChart } from '../../terminal/chart.ts'
import { heightOf } from '../../terminal/live-view.ts'
import type { Screen } from '../../terminal/screen.ts'
import { type RowsOutput, renderTable } from '../../terminal/table.ts'
import { type Line, localText, truncate } from '../../terminal/text.ts'
import { buildCatchList, type CatchList, type CatchListOptions, type Collection, KIND_PLURALS } from './catch-list.ts'

interface ListViewState {
  readonly collection: Collection
  readonly options: CatchListOptions
  /** The time of the last change of the collection, in milliseconds since 1970. */
  readonly at: number
  readonly outage?: Outage | undefined
}

/** Renders the view. If not all catches fit, the view shows the last catches, or the first catches of a sorted list. */
export function listViewLines({ collection, options, at, outage }: ListViewState, screen: Screen): readonly Line[] {
  const list = buildCatchList(collection, options)
  // Two lines are reserved: the first line, and the line of the cursor below the view.
  const room = screen.height === undefined ? Number.POSITIVE_INFINITY : Math.max(2, screen.height - 2)
  const { lines, note } = bodyOf(list, { screen, room, keepsFirst: options.query.sort !== undefined })
  const when = `Updated ${timeOfDay(at)}${outage ? `, not live since ${timeOfDay(outage.since)}` : ''}`
  const what = `${collection.user}, ${options.gamemode}: ${catchCount(list)} ${KIND_PLURALS[options.kind]}${note}`
  const head = truncate(`${when} · ${what}`, screen.width ?? Number.POSITIVE_INFINITY, screen.unicode ? '…' : '...')
  return [{ spans: [{ text: localText(head, screen), style: 'dim' }] }, ...lines]
}

function catchCount(list: CatchList): number {
  return list.counted ? list.output.rows.reduce((sum, { count }) => sum + count, 0) : list.output.rows.length
}

interface Frame {
  readonly screen: Screen
  readonly room: number
  /** Whether to show the first catches instead of the last catches. */
  readonly keepsFirst: boolean
}

/** Returns the body, and a note for the first line about omitted catches. */
function bodyOf(list: CatchList, frame: Frame) {
  const { screen } = frame
  if (list.output.rows.length === 0) return { lines: [list.output.empty ?? ''], note: '' }
  if (!list.counted) return tableOf(list.output, frame)
  const bars = list.bars.slice(0, frame.room)
  return { lines: renderChart(bars, screen), note: noteOf(bars.length, list.bars.length, true) }
}

function tableOf<Row extends object>({ rows, columns }: RowsOutput<Row>, frame: Frame) {
  const { screen, room, keepsFirst } = frame
  const selected = columns.filter(({ hidden }) => !hidden)
  let count = Math.max(1, Math.min(rows.length, room - 1))
  for (;;) {
    const lines = renderTable(keepsFirst ? rows.slice(0, count) : rows.slice(-count), selected, screen)
    // On a narrow screen, a row may take several lines, because some cells are never truncated.
    const excess = heightOf(lines, screen.width) - room
    const note = noteOf(count, rows.length, keepsFirst)
    if (excess <= 0) return { lines, note }
    if (count === 1) return { lines: firstLines(lines, room, screen), note }
    count = Math.max(1, count - excess)
  }
}

function noteOf(visible: number, all: number, isFirst: boolean): string {
  return visible === all ? '' : `, the ${isFirst ? 'first' : 'last'} ${visible} shown`
}

/** Output taller than the screen could not be erased. */
function firstLines(lines: readonly Line[], room: number, { width }: Screen): readonly Line[] {
  let count = lines.length
  while (count > 0 && heightOf(lines.slice(0, count), width) > room) count -= 1
  return lines.slice(0, count)
}
