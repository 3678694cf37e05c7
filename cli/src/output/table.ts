import { type Column, cellOf, cellText, titleOf } from './columns.ts'
import { paint, type Screen } from './screen.ts'
import { displayWidth, pad, truncate, wrapText } from './text.ts'

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
  { colours, unicode, width }: Pick<Screen, 'colours' | 'unicode' | 'width'>,
): string {
  const ellipsis = unicode ? '…' : '...'
  const titles = columns.map(titleOf)
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)))
  const natural = titles.map((title, index) =>
    cells.reduce((widest, line) => Math.max(widest, displayWidth(line[index] ?? '')), displayWidth(title)),
  )
  const widths = fitColumns(natural, columns, width)
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

function linesOf(
  cells: readonly string[],
  columns: readonly { readonly wrap?: boolean }[],
  widths: readonly number[],
): readonly (readonly string[])[] {
  const broken = cells.map((text, index) => (columns[index]?.wrap ? wrapText(text, widths[index] ?? 0) : [text]))
  const height = Math.max(1, ...broken.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => broken.map((each) => each[line] ?? ''))
}

/** Shrinks the widest columns. Columns keep a legible width, even if the lines then overflow. */
function fitColumns(
  natural: readonly number[],
  columns: readonly { readonly whole?: boolean; readonly wrap?: boolean }[],
  width = Number.POSITIVE_INFINITY,
): readonly number[] {
  const fitted = natural.map((cells, index) => {
    const { whole, wrap } = columns[index] ?? {}
    return { cells, least: whole ? cells : wrap ? MIN_WRAP_WIDTH : MIN_WIDTH }
  })
  let excess = natural.reduce((sum, cells) => sum + cells + GAP.length, -GAP.length) - width
  for (; excess > 0; excess -= 1) {
    const shrinkable = fitted.filter(({ cells, least }) => cells > least)
    const most = Math.max(...shrinkable.map(({ cells }) => cells))
    const widest = shrinkable.findLast(({ cells }) => cells === most)
    if (!widest) break
    widest.cells -= 1
  }
  return fitted.map(({ cells }) => cells)
}
