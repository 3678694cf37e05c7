import { paint } from './colours.ts'
import { type Column, cellOf, titleOf } from './columns.ts'
import { printable } from './printable.ts'
import type { Screen } from './screen.ts'
import { cut, displayWidth, fill } from './width.ts'

const GAP = '  '

/**
 * Rows under a line of titles, without a line end. Where the screen has a width, what does not fit is cut, the widest
 * columns first; elsewhere everything is whole.
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
    const short = cut(text, cells, ellipsis)
    const align = columns[index]?.align ?? 'left'
    return index === columns.length - 1 && align === 'left' ? short : fill(short, cells, align)
  }
  const head = titles.map((title, index) => paint('bold', shape(title, index), colours))
  const body = rows.map((row, line) =>
    columns.map((column, index) => {
      const text = shape(cells[line]?.[index] ?? '', index)
      const style = colours ? column.style?.(cellOf(column, row), row) : undefined
      return style === undefined ? text : paint(style, text, colours)
    }),
  )
  return [head, ...body].map((line) => line.join(GAP)).join('\n')
}

function cellText<Row extends object>(column: Column<Row>, row: Row): string {
  const value = cellOf(column, row)
  return printable(column.text ? column.text(value, row) : String(value ?? ''))
}

/** Widths that fit: no column is cut that is narrower than one that stays whole. */
function fitted(
  natural: readonly number[],
  columns: readonly { readonly whole?: boolean }[],
  width: number | undefined,
): readonly number[] {
  const available = (width ?? Number.POSITIVE_INFINITY) - GAP.length * (natural.length - 1)
  const capped = (cap: number) => natural.map((cells, index) => (columns[index]?.whole ? cells : Math.min(cells, cap)))
  const sum = (cells: readonly number[]) => cells.reduce((total, each) => total + each, 0)
  if (sum(natural) <= available) return natural
  let cap = Math.max(...natural)
  while (cap > 1 && sum(capped(cap)) > available) cap -= 1
  const widths = [...capped(cap)]
  // What rounding left over goes to the first columns that want it.
  let rest = available - sum(widths)
  for (const [index, cells] of natural.entries()) {
    if (rest > 0 && (widths[index] ?? 0) < cells) {
      widths[index] = (widths[index] ?? 0) + 1
      rest -= 1
    }
  }
  return widths
}
