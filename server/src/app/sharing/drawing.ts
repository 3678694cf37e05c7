import { CREATURE_SIZE, creatureOf } from '../../drawings/creature.ts'

interface Placed {
  readonly x: number
  readonly y: number
  readonly scale: number
  /** @default 1 */
  readonly opacity?: number
}

/**
 * Returns the drawing of a species as SVG.
 * @param placed the position of the middle of the drawing
 */
export function drawingOf(species: Parameters<typeof creatureOf>[0], { x, y, scale, opacity }: Placed): string {
  const left = x - (CREATURE_SIZE.width * scale) / 2
  const top = y - (CREATURE_SIZE.height * scale) / 2
  const paths = creatureOf(species).map(({ d, fill = 'none', stroke, strokeWidth, opacity }) => {
    return `<path${attributes({ d, fill, stroke, 'stroke-width': strokeWidth, opacity })}/>`
  })
  return `<g transform="translate(${left} ${top}) scale(${scale})"${attributes({ opacity })} stroke-linecap="round" stroke-linejoin="round">${paths.join('')}</g>`
}

/**
 * Returns a ring that is closed as far as the part of the whole.
 * @param placed the position of the middle, and the radius
 */
export function ringOf(
  { caught, total }: { readonly caught: number; readonly total: number },
  { x, y, radius, width }: { readonly x: number; readonly y: number; readonly radius: number; readonly width: number },
): string {
  const length = 2 * Math.PI * radius
  const closed = length * Math.min(1, caught / total)
  const circle = (attributes: string) =>
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke-width="${width}" ${attributes}/>`
  const part = `stroke="${caught < total ? '#7fd6f0' : '#f9cb4a'}" stroke-dasharray="${closed.toFixed(1)} ${length.toFixed(1)}" transform="rotate(-90 ${x} ${y})"`
  return circle('stroke="#bff0ff" stroke-opacity=".22"') + (caught > 0 ? circle(part) : '')
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${value}"`))
    .join('')
}
