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

const short = (value: number) => String(Math.round(value * 10) / 10)
const at = ([x, y]: Point) => `${short(x)} ${short(y)}`
const middle = ([x, y]: Point, [otherX, otherY]: Point): Point => [(x + otherX) / 2, (y + otherY) / 2]

/** Returns a smooth closed outline through the midpoints of neighbouring points. */
export function blob(points: readonly Point[]): string {
  const ends = points.map((point, index) => middle(point, points[(index + 1) % points.length] ?? point))
  const start = ends.at(-1) ?? [0, 0]
  return `M${at(start)}${points.map((point, index) => `Q${at(point)} ${at(ends[index] ?? point)}`).join('')}Z`
}

/** A closed outline with straight edges. */
export function polygon(points: readonly Point[]): string {
  return `M${points.map(at).join('L')}Z`
}

/** A smooth open line from the first to the last point. */
export function line(points: readonly Point[]): string {
  const [first = [0, 0], ...rest] = points
  const curves = rest.map((point, index) => {
    const next = rest[index + 1]
    return next ? `Q${at(point)} ${at(middle(point, next))}` : `L${at(point)}`
  })
  return `M${at(first)}${curves.join('')}`
}

export function circle([x, y]: Point, radius: number): string {
  const r = short(radius)
  return `M${at([x - radius, y])}a${r} ${r} 0 1 0 ${short(radius * 2)} 0a${r} ${r} 0 1 0 ${short(-radius * 2)} 0Z`
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
