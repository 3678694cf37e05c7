/** A path of a drawing. Colours are written like `#c88a4b`. */
export interface Shape {
  readonly d: string
  readonly fill?: string
  readonly stroke?: string
  readonly strokeWidth?: number
  readonly opacity?: number
}

/** A position in a drawing. */
export type Point = readonly [x: number, y: number]

const middle = ([x, y]: Point, [otherX, otherY]: Point): Point => [(x + otherX) / 2, (y + otherY) / 2]

/** A command of a path with absolute positions. */
type Step = readonly [command: 'M' | 'l' | 'q' | 't', ...points: Point[]]

/**
 * Returns a path in relative tenths, without separators that a reader does not need: a page has dozens of drawings. See
 * https://www.w3.org/TR/SVG11/paths.html#PathDataBNF
 */
function pathOf(steps: readonly Step[]): string {
  let [text, last, x, y] = ['', '', 0, 0]
  for (const [command, ...points] of steps) {
    const numbers: number[] = []
    const tenths = points.map((point) => point.map((value) => Math.round(value * 10)) as [number, number])
    for (const [pointX, pointY] of tenths) numbers.push(pointX - x, pointY - y)
    const [endX, endY] = tenths.at(-1) ?? [x, y]
    ;[x, y] = [endX, endY]
    const isRepeated = command === last && command !== 'M'
    text += joined(isRepeated ? '' : command, numbers)
    last = command
  }
  return text
}

function joined(command: string, tenths: readonly number[]): string {
  return tenths.reduce((text, value, index) => {
    const number = String(value / 10).replace(/^(-?)0\./, '$1.')
    const needsSpace = value >= 0 && (index > 0 || command === '')
    return text + (needsSpace ? ' ' : '') + number
  }, command)
}

/**
 * Returns a smooth closed outline through the midpoints of neighbouring points. A midpoint mirrors the point before it to
 * the point after it, so only the first curve names its control point.
 */
export function blob(points: readonly Point[]): string {
  const ends = points.map((point, index) => middle(point, points[(index + 1) % points.length] ?? point))
  const [first = [0, 0], start = first] = [points[0], ends.at(-1)]
  const [end = first, ...others] = ends
  return `${pathOf([['M', start], ['q', first, end], ...others.map((each): Step => ['t', each])])}z`
}

/** A closed outline with straight edges. */
export function polygon([first = [0, 0], ...rest]: readonly Point[]): string {
  return `${pathOf([['M', first], ...rest.map((point): Step => ['l', point])])}z`
}

/** A smooth open line from the first to the last point. */
export function line([first = [0, 0], ...rest]: readonly Point[]): string {
  const curves = rest.map((point, index): Step => {
    const next = rest[index + 1]
    if (!next) return ['l', point]
    return index === 0 ? ['q', point, middle(point, next)] : ['t', middle(point, next)]
  })
  return pathOf([['M', first], ...curves])
}

export function circle([x, y]: Point, radius: number): string {
  const [r, diameter] = [radius, radius * 2].map((value) => String(Math.round(value * 10) / 10))
  return `${pathOf([['M', [x - radius, y]]])}a${r} ${r} 0 1 0 ${diameter} 0a${r} ${r} 0 1 0-${diameter} 0z`
}

/** A star with four points. */
export function sparkle([x, y]: Point, size: number): string {
  const inner = size * 0.22
  return polygon(
    Array.from({ length: 8 }, (_, index): Point => {
      const [radius, angle] = [index % 2 === 0 ? size : inner, (index * Math.PI) / 4]
      return [x + Math.sin(angle) * radius, y - Math.cos(angle) * radius]
    }),
  )
}
