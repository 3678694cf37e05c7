import { type Column, cellOf, titleOf } from './columns.ts'
import type { Screen } from './screen.ts'
import { paint } from './screen.ts'
import { displayWidth, pad, printable, truncate, wrapText } from './text.ts'

const GAP = '  '
// Below this, cells say nothing, and a line that is broken by the terminal is easier to read.
const LEAST_CUT = 8
const LEAST_WRAPPED = 24

/**
 * Rows under a line of titles, without a line end. Where the screen has a width, what does not fit is cut, the widest
 * columns first, or goes on in the next line; elsewhere everything is whole.
 */
export function renderTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { colours, unicode, width }: Pick<Screen, 'colours' | 'unicode' | 'width'>,
): string {
  const ellipsis = unicode ? '…' : '...'
  const titles = columns.map(titleOf)
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)))
  const natural = titles.map((title, index) =>
    cells.reduce((widest, line) => Math.max(widest, displayWidth(line[index] ?? '')), displayWidth(title)),
  )
  const widths = fitted(natural, columns, width)
  const shape = (text: string, index: number) => {
    const cells = widths[index] ?? 0
    const short = truncate(text, cells, ellipsis)
    const align = columns[index]?.align ?? 'left'
    return index === columns.length - 1 && align === 'left' ? short : pad(short, cells, align)
  }
  const head = titles.map((title, index) => paint('bold', shape(title, index), colours))
  const body = rows.flatMap((row, line) => {
    const styles = columns.map((column) => (colours ? column.style?.(cellOf(column, row), row) : undefined))
    return linesOf(cells[line] ?? [], columns, widths).map((texts) =>
      texts.map((text, index) => {
        const style = styles[index]
        return style === undefined ? shape(text, index) : paint(style, shape(text, index), colours)
      }),
    )
  })
  return [head, ...body].map((line) => line.join(GAP)).join('\n')
}

/** The lines that a row takes: one, unless a cell goes on in the next. */
function linesOf(
  cells: readonly string[],
  columns: readonly { readonly wrap?: boolean }[],
  widths: readonly number[],
): readonly (readonly string[])[] {
  const broken = cells.map((text, index) => (columns[index]?.wrap ? wrapText(text, widths[index] ?? 0) : [text]))
  const height = Math.max(1, ...broken.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => broken.map((each) => each[line] ?? ''))
}

function cellText<Row extends object>(column: Column<Row>, row: Row): string {
  const value = cellOf(column, row)
  return printable(column.text ? column.text(value, row) : String(value ?? ''))
}

/** Widths that fit: no column is cut that is narrower than one that stays whole. Where nothing fits, all is legible. */
function fitted(
  natural: readonly number[],
  columns: readonly { readonly whole?: boolean; readonly wrap?: boolean }[],
  width: number | undefined,
): readonly number[] {
  const available = (width ?? Number.POSITIVE_INFINITY) - GAP.length * (natural.length - 1)
  const capped = (cap: number) =>
    natural.map((cells, index) => {
      const { whole, wrap } = columns[index] ?? {}
      return whole ? cells : Math.min(cells, wrap ? Math.max(cap, LEAST_WRAPPED) : cap)
    })
  const sum = (cells: readonly number[]) => cells.reduce((total, each) => total + each, 0)
  if (sum(natural) <= available) return natural
  let cap = Math.max(...natural)
  while (cap > 1 && sum(capped(cap)) > available) cap -= 1
  const widths = [...capped(cap)]
  // What rounding left over goes to the first columns that want it.
  let rest = available - sum(widths)
  if (rest < 0) return capped(LEAST_CUT)
  for (const [index, cells] of natural.entries()) {
    if (rest > 0 && (widths[index] ?? 0) < cells) {
      widths[index] = (widths[index] ?? 0) + 1
      rest -= 1
    }
  }
  return widths
}
