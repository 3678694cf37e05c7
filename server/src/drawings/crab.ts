import { edge, type Paints } from './palette.ts'
import { blob, circle, line, type Point, type Shape } from './path.ts'
import type { Dice } from './random.ts'

/** A crab from the front. */
export function crabShapes(dice: Dice, paints: Paints): readonly Shape[] {
  const { body, back, belly, fin, pattern, shine, ink } = paints
  const wide = dice.between(22, 29)
  const high = dice.between(13, 18)
  const claws = [dice.between(9, 14), dice.between(9, 14)]
  const stalk = dice.between(8, 15)
  const sides = [-1, 1] as const
  const legs = sides.flatMap((side) =>
    [0, 1, 2].map((leg): Shape => {
      const start: Point = [60 + side * wide * (0.55 + leg * 0.14), 53 - leg * 4]
      const knee: Point = [60 + side * (wide + 9 + leg * 2), 50 - leg * 4]
      const foot: Point = [60 + side * (wide + 6 + leg * 8), 68 - leg * 5]
      return { d: line([start, knee, foot]), stroke: back, strokeWidth: 4.2 - leg * 0.5 }
    }),
  )
  const arms = sides.flatMap((side, index): readonly Shape[] => {
    const size = claws[index] ?? 10
    const hand: Point = [60 + side * (wide + 10), 26]
    const [x, y] = hand
    const claw = blob([
      [x - side * size * 0.4, y + size * 0.9],
      [x + side * size * 0.9, y + size * 0.5],
      [x + side * size * 0.9, y - size * 0.7],
      [x + side * size * 0.1, y - size * 1.25],
      [x + side * size * 0.25, y - size * 0.1],
      [x - side * size * 0.55, y - size * 0.95],
      [x - side * size * 0.9, y],
    ])
    return [
      { d: line([[60 + side * wide * 0.8, 42], [60 + side * (wide + 10), 40], hand]), stroke: back, strokeWidth: 6 },
      { d: claw, fill: fin, ...edge(paints) },
    ]
  })
  const shell = (scale: number): readonly Point[] => [
    [60 - wide * scale, 46 - high * 0.3],
    [60 - wide * 0.6 * scale, 48 - high * 1.15 * scale],
    [60, 48 - high * 1.25 * scale],
    [60 + wide * 0.6 * scale, 48 - high * 1.15 * scale],
    [60 + wide * scale, 46 - high * 0.3],
    [60 + wide * 0.8 * scale, 48 + high * 0.8 * scale],
    [60, 48 + high * 1.1 * scale],
    [60 - wide * 0.8 * scale, 48 + high * 0.8 * scale],
  ]
  const eyes = sides.flatMap((side): readonly Shape[] => {
    const eye: Point = [60 + side * wide * 0.3, 48 - high - stalk * 0.6]
    const stem = line([[60 + side * wide * 0.25, 48 - high * 0.7], eye])
    return [
      { d: stem, stroke: back, strokeWidth: 2.6 },
      { d: circle(eye, 3.8), fill: shine },
      { d: circle([eye[0], eye[1] + 0.4], 2.3), fill: ink },
    ]
  })
  const smile = line([
    [54, 54],
    [60, 54 + dice.between(1.5, 5)],
    [66, 54],
  ])
  return [
    ...legs,
    ...arms,
    ...eyes,
    { d: blob(shell(1.1)), fill: body, ...edge(paints) },
    { d: blob(shell(0.78).map(([x, y]): Point => [x, y - 2.5])), fill: belly, opacity: 0.35 },
    ...marks(dice, { wide, high, pattern }),
    { d: smile, stroke: ink, strokeWidth: 1.5, opacity: 0.75 },
  ]
}

interface Shell {
  readonly wide: number
  readonly high: number
  readonly pattern: string
}

function marks(dice: Dice, { wide, high, pattern }: Shell): readonly Shape[] {
  const [style, count] = [dice.pick(['spots', 'ridges', 'heart', 'plain']), Math.round(dice.between(4, 8))]
  switch (style) {
    case 'spots':
      return Array.from({ length: count }, () => {
        const spot: Point = [60 + dice.between(-0.65, 0.65) * wide, 43 + dice.between(-0.5, 0.2) * high]
        return { d: circle(spot, dice.between(1, 2.4)), fill: pattern, opacity: 0.7 }
      })
    case 'ridges':
      return [-0.55, -0.28, 0, 0.28, 0.55].map((part) => {
        const x = 60 + part * wide
        const ridge = line([
          [x, 47 - high * 0.75],
          [x + part * 6, 45],
        ])
        return { d: ridge, stroke: pattern, strokeWidth: 1.8, opacity: 0.6 }
      })
    case 'heart':
      return [60 - wide * 0.35, 60 + wide * 0.35].map((x) => ({
        d: circle([x, 41], high * 0.26),
        fill: pattern,
        opacity: 0.6,
      }))
    default:
      return []
  }
}
