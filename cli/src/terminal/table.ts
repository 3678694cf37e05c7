import { localTime } from '../core/time.ts'
import type { Screen, Style } from './screen.ts'
import { displayWidth, type Line, pad, printable, type Styled, truncate, wordsOf, wrapText } from './text.ts'

export type Cell = string | number | boolean | null | undefined

export interface Column<Row extends object = object> {
  /** The name of the column in JSON and in the header of CSV. */
  readonly field: string
  /** The title in a table. @default the field in capitals, `caughtAt` as `CAUGHT AT` */
  readonly title?: string
  /** @default the property of the row with the name of the field */
  readonly value?: (row: Row) => Cell
  /** The text in a table. @default the value, empty for `null` and `undefined` */
  readonly text?: (value: Cell, row: Row) => string
  readonly align?: 'left' | 'right'
  /** The style in a table. */
  readonly style?: (value: Cell, row: Row) => Style | undefined
  /** Whether only CSV contains the column. */
  readonly hidden?: boolean
  /** Never truncates values, for ids, secrets and other values that users copy. */
  readonly whole?: boolean
  /** Wraps values instead of truncating values, for sentences. */
  readonly wrap?: boolean
}

export function cellOf<Row extends object>(column: Column<Row>, row: Row): Cell {
  return column.value ? column.value(row) : (row as Readonly<Record<string, Cell>>)[column.field]
}

export function cellText<Row extends object>(column: Column<Row>, row: Row): string {
  const value = cellOf(column, row)
  // The width must be that of the printed text.
  return printable(column.text ? column.text(value, row) : String(value ?? ''))
}

function titleOf({ title, field }: { readonly title?: string; readonly field: string }): string {
  return title ?? field.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase()
}

/** A column of times. Times are local in a table, and unchanged in JSON and CSV. */
export function timeColumn(field: string, title = titleOf({ field })): Column {
  return {
    field,
    title: `${title} (LOCAL)`,
    text: (value) => (typeof value === 'string' ? localTime(value) : ''),
    whole: true,
  }
}

/** The flags that select the format of rows. */
export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly csv?: boolean | undefined
}

export interface RowsOutput<Row extends object> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** The document of `--json`. @default the rows as an array */
  readonly document?: unknown
  /** Message on stderr when there are no rows. An empty table prints nothing. */
  readonly empty?: string
}

/** Renders each field of one row on a line, because a table with this row would be wider than a terminal. */
export function fieldLines<Row extends object>(row: Row, columns: readonly Column<Row>[]): readonly string[] {
  return columns.map((column) => `${titleOf(column).toLowerCase()}: ${cellText(column, row) || 'none'}`)
}

const GAP = '  '
// Narrower cells would be illegible, so the terminal wraps the lines instead.
const MIN_WIDTH = 8
const MIN_WRAP_WIDTH = 24

/**
 * Renders a table. If the screen is too narrow, the widest columns are truncated or wrapped first. We use no library,
 * because @oclif/table takes 457 ms to load, and cli-table3 (34 KB) does not fit columns to the terminal.
 */
export function renderTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { unicode, width = Number.POSITIVE_INFINITY }: Pick<Screen, 'unicode' | 'width'>,
): readonly Line[] {
  const ellipsis = unicode ? '…' : '...'
  const titles = columns.map(titleOf)
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)))
  const natural = titles.map((title, index) =>
    cells.map((line) => line[index] ?? '').reduce(widest, displayWidth(title)),
  )
  const least = columns.map(({ whole, wrap }, index) => {
    if (whole) return natural[index] ?? 0
    if (!wrap) return MIN_WIDTH
    return cells.flatMap((line) => wordsOf(line[index] ?? '')).reduce(widest, MIN_WRAP_WIDTH)
  })
  const widths = fitColumns(natural, least, width)
  if (columns.some(({ wrap }) => wrap) && lineWidth(widths) > width) return renderList(titles, cells, width)
  const shape = (text: string, index: number) => {
    const cells = widths[index] ?? 0
    const short = truncate(text, cells, ellipsis)
    const align = columns[index]?.align ?? 'left'
    return index === columns.length - 1 && align === 'left' ? short : pad(short, cells, align)
  }
  const head = titles.map((title, index): Styled => ({ text: shape(title, index), style: 'bold' }))
  const body = rows.flatMap((row, line) => {
    const styles = columns.map((column) => column.style?.(cellOf(column, row), row))
    return wrapCells(cells[line] ?? [], columns, widths).map((texts) =>
      texts.map((text, index): Styled => ({ text: shape(text, index), style: styles[index] })),
    )
  })
  return [head, ...body].map((line) => ({ spans: line.flatMap((cell, index) => (index === 0 ? [cell] : [GAP, cell])) }))
}

function wrapCells(
  cells: readonly string[],
  columns: readonly { readonly wrap?: boolean }[],
  widths: readonly number[],
): readonly (readonly string[])[] {
  const broken = cells.map((text, index) => (columns[index]?.wrap ? wrapText(text, widths[index] ?? 0) : [text]))
  const height = Math.max(1, ...broken.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => broken.map((each) => each[line] ?? ''))
}

const widest = (cells: number, text: string) => Math.max(cells, displayWidth(text))

const lineWidth = (widths: readonly number[]) => widths.reduce((sum, cells) => sum + cells + GAP.length, -GAP.length)

/** Shrinks the widest columns. Columns keep a legible width, even if the lines then overflow. */
function fitColumns(natural: readonly number[], leastWidths: readonly number[], width: number): readonly number[] {
  const fitted = natural.map((cells, index) => ({ cells, least: leastWidths[index] ?? 0 }))
  let excess = lineWidth(natural) - width
  for (; excess > 0; excess -= 1) {
    const shrinkable = fitted.filter(({ cells, least }) => cells > least)
    const most = Math.max(...shrinkable.map(({ cells }) => cells))
    const widestColumn = shrinkable.findLast(({ cells }) => cells === most)
    if (!widestColumn) break
    widestColumn.cells -= 1
  }
  return fitted.map(({ cells }) => cells)
}

/** Renders sentences that fit into no column: each value is a paragraph with its title. */
function renderList(
  titles: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  return cells.flatMap((line, index) => {
    const named = line.flatMap((text, index) => (text === '' ? [] : [`${titles[index]?.toLowerCase()}: ${text}`]))
    return [...(index === 0 ? [] : ['']), ...named.flatMap((text) => wrapText(text, width))]
  })
}
