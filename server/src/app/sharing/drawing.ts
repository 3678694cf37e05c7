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

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([key, value]) => (value === undefined ? [] : ` ${key}="${value}"`))
    .join('')
}
