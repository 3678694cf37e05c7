import { foldSpeciesName } from '@fish-crab/sdk/constants'
import type { Kind, RarityLabel } from '@fish-crab/sdk/contract'
import { crabShapes } from './crab.ts'
import { fishShapes } from './fish.ts'
import { paintsOf } from './palette.ts'
import type { Shape } from './path.ts'
import { createDice } from './random.ts'

export type { Shape } from './path.ts'

/** The size of each drawing, as in `viewBox="0 0 120 80"`. */
export const CREATURE_SIZE = { width: 120, height: 80 } as const

interface Species {
  readonly kind: Kind
  readonly name: string
  /** The rarity; absent for crabs. */
  readonly rarity?: RarityLabel | undefined
}

/**
 * Draws a species. The kind and the name determine the body, fins, pattern and colours. The rarity adds only ornaments,
 * so that a species is recognised in every rarity, both on pages and in images.
 * @returns paths in the order to paint them
 * @example creatureOf({ kind: 'fish', name: 'Salmon', rarity: 'Gold' })
 */
export function creatureOf({ kind, name, rarity }: Species): readonly Shape[] {
  const dice = createDice(`${kind} ${foldSpeciesName(name) || name.toLowerCase()}`)
  const paints = paintsOf(dice)
  return merged(kind === 'crab' ? crabShapes(dice, paints) : fishShapes(dice, paints, rarity ?? 'Unknown/Other'))
}

/** Draws a species without its colours, as one shape for each width of line. */
export function silhouetteOf(species: Species): readonly Shape[] {
  const shapes = creatureOf(species).map(({ d, fill, stroke, strokeWidth }): Shape => {
    const line = stroke === undefined ? {} : { stroke: 'currentColor', ...(strokeWidth && { strokeWidth }) }
    return { d, ...(fill && fill !== 'none' && { fill: 'currentColor' }), ...line }
  })
  return merged(shapes)
}

/** Joins adjacent shapes with the same look, because a page has dozens of drawings, and fewer elements are faster. */
function merged(shapes: readonly Shape[]): readonly Shape[] {
  const all: Shape[] = []
  for (const shape of shapes) {
    const before = all.at(-1)
    if (before && haveSameLook(before, shape)) all[all.length - 1] = { ...shape, d: before.d + shape.d }
    else all.push(shape)
  }
  return all
}

function haveSameLook(one: Shape, other: Shape): boolean {
  return (
    one.fill === other.fill &&
    one.stroke === other.stroke &&
    one.strokeWidth === other.strokeWidth &&
    one.opacity === other.opacity
  )
}
