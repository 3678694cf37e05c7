import { type Column, cellOf, cellText, titleOf } from './columns.ts'
import { paint, type Screen } from './screen.ts'
import { displayWidth, pad, truncate, wordsOf, wrapText } from './text.ts'

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
  { colours, unicode, width = Number.POSITIVE_INFINITY }: Pick<Screen, 'colours' | 'unicode' | 'width'>,
): string {
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
function renderList(titles: readonly string[], cells: readonly (readonly string[])[], width: number): string {
  const paragraphs = cells.map((line) => {
    const named = line.flatMap((text, index) => (text === '' ? [] : [`${titles[index]?.toLowerCase()}: ${text}`]))
    return named.flatMap((text) => wrapText(text, width)).join('\n')
  })
  return paragraphs.join('\n\n')
}
