import type { Frame, Run, Size } from './recorder.ts'

/** In pixels. */
const [CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN] = [8.4, 19, 14, 16]
const [GROUND, TEXT] = ['#16181d', '#d8dee9']
/** The sixteen colours of terminals, on a dark ground. */
const PALETTE = [
  ...['#5c6370', '#f07178', '#a5d66b', '#f0c674', '#7fb0ff', '#d09bef', '#6fd0d8', '#d8dee9'],
  ...['#7f8898', '#ff8b92', '#bbe67e', '#ffd98a', '#9cc4ff', '#e0b3ff', '#8be4ec', '#ffffff'],
]
/** Above the sixteen: a cube of six steps for each of red, green and blue, then greys, as in xterm. */
function colorOf(index: number): string {
  if (index < 16) return PALETTE[index] ?? TEXT
  if (index >= 232) return rgb(...Array.from({ length: 3 }, () => 8 + 10 * (index - 232)))
  return rgb(...[36, 6, 1].map((weight) => STEPS[Math.floor((index - 16) / weight) % 6] ?? 0))
}
const STEPS = [0, 95, 135, 175, 215, 255]
const rgb = (...parts: readonly number[]) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** How long the end stands before it begins again. */
const HOLD_MS = 6000

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const round = (value: number) => Number(value.toFixed(2))

/** A row of the terminal while it does not change. */
interface Span {
  readonly row: number
  readonly runs: readonly Run[]
  readonly from: number
  readonly to: number
}

/**
 * A recording as a picture that moves. Who has asked for less motion sees its end.
 *
 * @param endMs when the recording ends
 * @param title what it shows, for who cannot see it
 */
export function drawRecording(frames: readonly Frame[], endMs: number, { columns, rows }: Size, title: string): string {
  const totalMs = endMs + HOLD_MS
  const [width, height] = [round(columns * CELL_WIDTH + 2 * MARGIN), rows * CELL_HEIGHT + 2 * MARGIN]
  const spans = Array.from({ length: rows }, (_, row) => spansOf(frames, row, totalMs)).flat()
  const times = new Map<string, string>()
  const drawn = spans.map(({ row, runs, from, to }) => {
    const time = `${from} ${to}`
    const name = times.get(time) ?? `t${times.size}`
    times.set(time, name)
    const isLast = to === totalMs ? ' last' : ''
    return `<g class="${name}${isLast}">${runs.map((run) => drawRun(run, row)).join('')}</g>`
  })
  const percent = (at: number) => `${round((at / totalMs) * 100)}%`
  const rules = [...times].map(([time, name]) => {
    const [from = 0, to = 0] = time.split(' ').map(Number)
    const begin = from === 0 ? '' : '0%{visibility:hidden}'
    const end = to === totalMs ? '' : `${percent(to)}{visibility:hidden}`
    return `@keyframes ${name}{${begin}${percent(from)}{visibility:visible}${end}}.${name}{animation-name:${name}}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:${FONT_SIZE}px;fill:${TEXT};white-space:pre}
g{visibility:hidden;animation:${round(totalMs / 1000)}s step-end infinite}
${rules.join('\n')}
@media(prefers-reduced-motion:reduce){g{animation:none}.last{visibility:visible}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
${drawn.join('\n')}
</svg>
`
}

function spansOf(frames: readonly Frame[], row: number, totalMs: number): readonly Span[] {
  const spans: Span[] = []
  for (const [index, { at, rows }] of frames.entries()) {
    const runs = rows[row] ?? []
    const to = frames[index + 1]?.at ?? totalMs
    const last = spans.at(-1)
    if (last && JSON.stringify(last.runs) === JSON.stringify(runs)) spans[spans.length - 1] = { ...last, to }
    else spans.push({ row, runs, from: at, to })
  }
  return spans.filter(({ runs, from, to }) => runs.length > 0 && to > from)
}

function drawRun({ column, text, color, isBold, isDim }: Run, row: number): string {
  const [x, y] = [round(MARGIN + column * CELL_WIDTH), MARGIN + row * CELL_HEIGHT + FONT_SIZE]
  const look = [
    color === undefined ? '' : ` style="fill:${colorOf(color)}"`,
    isBold ? ' font-weight="bold"' : '',
    isDim ? ' opacity="0.7"' : '',
  ]
  // Whatever the font, a cell is as wide as the next.
  const length = round(text.length * CELL_WIDTH)
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${look.join('')}>${escaped(text)}</text>`
}
