import type { Screen, Style } from './screen.ts'
import { displayWidth, type Line, pad, printable, truncate } from './text.ts'

export interface Bar {
  readonly label: string
  readonly value: number
  readonly style?: Style | undefined
}

// Eighths of a cell, to show small differences.
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const DEFAULT_WIDTH = 80
const MAX_LABEL = 24

/** The longest bar fills the width of the screen. */
export function renderChart(bars: readonly Bar[], { unicode, width }: Screen): readonly Line[] {
  const most = Math.max(0, ...bars.map(({ value }) => value))
  const numbers = bars.map(({ value }) => String(value))
  const labels = bars.map(({ label }) => truncate(printable(label), MAX_LABEL, unicode ? '…' : '...'))
  const labelWidth = Math.max(0, ...labels.map(displayWidth))
  const numberWidth = Math.max(0, ...numbers.map((number) => number.length))
  const room = Math.max(1, (width ?? DEFAULT_WIDTH) - labelWidth - numberWidth - 3)
  return bars.map(({ value, style }, index): Line => {
    const bar = drawBar(most === 0 ? 0 : (value / most) * room, unicode)
    const gap = bar === '' ? '' : ' '
    const label = pad(labels[index] ?? '', labelWidth)
    return { spans: [`${label}  `, { text: bar, style }, `${gap}${numbers[index]}`] }
  })
}

function drawBar(cells: number, unicode: boolean): string {
  // A count above zero always gets a visible bar.
  if (!unicode) return '#'.repeat(cells > 0 ? Math.max(1, Math.round(cells)) : 0)
  const eighths = cells > 0 ? Math.max(1, Math.round(cells * 8)) : 0
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}
