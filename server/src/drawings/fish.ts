import type { RarityLabel } from '@fish-crab/sdk/contract'
import { edge, type Paints } from './palette.ts'
import { blob, circle, line, type Point, polygon, type Shape, sparkle } from './path.ts'
import type { Dice } from './random.ts'

/** The outline of a body: `at(0, side)` is at the nose, and `at(1, side)` is at the root of the tail. */
interface Body {
  /** Returns the point at a fraction of the length. `side` is -1 on the back, 0 in the middle and 1 on the belly. */
  at(part: number, side: number): Point
  readonly height: number
  readonly length: number
}

interface Form {
  readonly length: readonly [number, number]
  readonly height: readonly [number, number]
  /** Shape of the head: a smaller number means a blunter head. */
  readonly head: number
  /** Shape of the end: a smaller number means a thicker end. */
  readonly end: number
  /** Height of the belly relative to the back. */
  readonly belly: number
  readonly wave: number
}

const FORMS: readonly [Form, ...Form[]] = [
  { length: [70, 80], height: [12, 16], head: 0.55, end: 0.85, belly: 1.05, wave: 0 },
  { length: [56, 64], height: [22, 27], head: 0.6, end: 0.7, belly: 1, wave: 0 },
  { length: [84, 92], height: [6, 8.5], head: 0.3, end: 0.35, belly: 1, wave: 6 },
  { length: [64, 74], height: [16, 20], head: 0.5, end: 0.95, belly: 1.2, wave: 0 },
  { length: [54, 60], height: [19, 23], head: 0.38, end: 0.8, belly: 1.25, wave: 0 },
  { length: [66, 78], height: [14, 18], head: 0.85, end: 0.6, belly: 0.8, wave: 2 },
]

const ROOT = 3.6
const STEPS = 14

/** Draws a fish that faces left. */
export function fishShapes(dice: Dice, paints: Paints, rarity: RarityLabel): readonly Shape[] {
  const body = bodyOf(dice)
  const grandeur = GRANDEUR[rarity]
  return [
    ...tail(dice, body, paints, grandeur),
    ...fins(dice, body, paints, grandeur),
    { d: outline(body, -1, 1), fill: paints.body, ...edge(paints) },
    { d: outline(body, 0.25, 1), fill: paints.belly, opacity: 0.85 },
    ...pattern(dice, body, paints),
    { d: outline(body, -1, -0.55), fill: paints.back, opacity: 0.55 },
    ...sideFin(dice, body, paints),
    ...face(dice, body, paints),
    ...ornaments(dice, body, paints, rarity),
  ]
}

/** Scale of the tail and the fins by rarity. */
const GRANDEUR: Readonly<Record<RarityLabel, number>> = {
  Bronze: 0.9,
  Silver: 0.95,
  Gold: 1.1,
  Diamond: 1.05,
  'Unknown/Other': 0.95,
  Platinum: 1.25,
  Mythical: 1.4,
}

function bodyOf(dice: Dice): Body {
  const form = dice.pick(FORMS)
  const length = dice.between(...form.length)
  const height = dice.between(...form.height)
  const wave = form.wave * dice.between(0.7, 1.1)
  const { head, end } = form
  const peak = (head / (head + end)) ** head * (end / (head + end)) ** end
  const nose = 8
  return {
    length,
    height,
    at(part, side) {
      const half = (height * part ** head * Math.max(0, 1 - part) ** end) / peak + ROOT * part ** 2
      const y = 40 + wave * Math.sin(part * Math.PI * 2) * part
      return [nose + part * length, y + side * half * (side > 0 ? form.belly : 1)]
    },
  }
}

const parts = (from: number, to: number, steps = STEPS) =>
  Array.from({ length: steps + 1 }, (_, index) => from + ((to - from) * index) / steps)

/** Returns the outline of the part of the body between two sides. */
function outline(body: Body, upper: number, lower: number, [from, to]: readonly [number, number] = [0, 1]): string {
  const along = parts(from, to, Math.max(2, Math.round(STEPS * (to - from))))
  return polygon([...along.map((part) => body.at(part, upper)), ...along.reverse().map((part) => body.at(part, lower))])
}

function tail(dice: Dice, body: Body, paints: Paints, grandeur: number): readonly Shape[] {
  const { fin, pattern } = paints
  const [x, y] = body.at(1, 0)
  const room = 116 - x
  const long = Math.min(room, dice.between(18, 24) * grandeur)
  const high = Math.min(34, dice.between(14, 21) * grandeur)
  const root = x - 5
  const tips: readonly Point[] = dice.pick([
    // The tails are, in this order: forked, crescent, fan, flag and veil.
    [
      [x + long, y - high],
      [x + long * 0.45, y],
      [x + long, y + high],
    ],
    [
      [x + long * 0.5, y - high * 0.8],
      [x + long, y - high * 1.15],
      [x + long * 0.4, y],
      [x + long, y + high * 1.15],
      [x + long * 0.5, y + high * 0.8],
    ],
    [
      [x + long * 0.7, y - high],
      [x + long * 1, y - high * 0.6],
      [x + long, y],
      [x + long, y + high * 0.6],
      [x + long * 0.7, y + high],
    ],
    [
      [x + long * 0.8, y - high],
      [x + long, y - high * 0.9],
      [x + long * 0.7, y + high * 0.2],
      [x + long * 0.6, y + high * 0.7],
    ],
    [
      [x + long * 0.6, y - high * 1.1],
      [x + long, y - high * 0.7],
      [x + long * 0.75, y - high * 0.2],
      [x + long, y + high * 0.3],
      [x + long * 0.7, y + high],
    ],
  ])
  const rays = parts(-0.7, 0.7, 4).map((side): Shape => {
    const end: Point = [x + long * 0.62, y + side * high * 0.8]
    return { d: line([[x, y + side * 3], end]), stroke: pattern, strokeWidth: 0.9, opacity: 0.45 }
  })
  return [{ d: blob([[root, y - 3], ...tips, [root, y + 3], [root - 2, y]]), fill: fin, ...edge(paints) }, ...rays]
}

/** Draws the fins of the back and the belly, which are behind the body. */
function fins(dice: Dice, body: Body, paints: Paints, grandeur: number): readonly Shape[] {
  const { fin: fill, pattern } = paints
  const look = { fill, ...edge(paints) }
  const rise = Math.min(22, dice.between(8, 15) * grandeur)
  const [from, to] = [dice.between(0.2, 0.38), dice.between(0.66, 0.86)]
  const style = dice.pick(['sail', 'spikes', 'double', 'ribbon'])
  const shapes: Shape[] = []
  const along = (some: readonly number[], side: -1 | 1, lift: (index: number) => number) => {
    const base = some.map((part) => body.at(part, side * 0.8))
    const crest = some.map((part, index): Point => {
      const [x, y] = body.at(part, side)
      return [x + lift(index) * 0.45, Math.min(77, Math.max(3, y + side * lift(index)))]
    })
    return [...base, ...crest.reverse()]
  }
  if (style === 'spikes') {
    const some = parts(from, to, 8)
    shapes.push({ d: polygon(along(some, -1, (index) => (index % 2 ? rise : rise * 0.45))), ...look })
  } else if (style === 'double') {
    const height = (index: number) => [0, rise, rise * 0.7, 0][index] ?? 0
    shapes.push({ d: blob(along(parts(from, 0.5, 3), -1, height)), ...look })
    shapes.push({ d: blob(along(parts(0.56, 0.84, 3), -1, height)), ...look })
  } else if (style === 'ribbon') {
    const height = (index: number) => (index === 0 || index === 8 ? 0 : rise * 0.55 + (index % 2) * 1.5)
    shapes.push({ d: blob(along(parts(0.14, 0.95, 8), -1, height)), ...look })
  } else {
    const height = (index: number) => [0, rise, rise * 1.1, rise * 0.8, rise * 0.5, 0][index] ?? 0
    shapes.push({ d: blob(along(parts(from, to, 5), -1, height)), ...look })
  }
  for (const part of parts(from + 0.05, to - 0.08, 3)) {
    const [x, y] = body.at(part, -1)
    const ray = line([
      [x, y + 1],
      [x + rise * 0.35, Math.max(5, y - rise * 0.55)],
    ])
    if (style === 'sail') shapes.push({ d: ray, stroke: pattern, strokeWidth: 0.8, opacity: 0.4 })
  }
  const drop = rise * dice.between(0.5, 0.85)
  const height = (index: number) => [0, drop, drop * 0.6, 0][index] ?? 0
  shapes.push({ d: blob(along(parts(0.32, 0.5, 3), 1, height)), ...look })
  shapes.push({ d: blob(along(parts(0.62, 0.85, 3), 1, height)), ...look })
  return shapes
}

function pattern(dice: Dice, body: Body, { pattern, back, belly }: Paints): readonly Shape[] {
  const style = dice.pick(['stripes', 'spots', 'band', 'scales', 'saddles', 'mask', 'lines'])
  const count = Math.round(dice.between(3, 6))
  switch (style) {
    case 'stripes':
      return parts(0.3, 0.9, count).map((part) => {
        const width = dice.between(0.02, 0.045)
        return { d: outline(body, -0.97, 0.8, [part - width, part + width]), fill: pattern, opacity: 0.7 }
      })
    case 'spots':
      return Array.from({ length: count * 3 }, () => {
        const spot = body.at(dice.between(0.28, 0.88), dice.between(-0.7, 0.35))
        return { d: circle(spot, dice.between(1, 2.6) * (body.height < 10 ? 0.6 : 1)), fill: pattern, opacity: 0.75 }
      })
    case 'band':
      return [
        { d: outline(body, -0.22, 0.16, [0.12, 1]), fill: pattern, opacity: 0.7 },
        { d: outline(body, 0.16, 0.28, [0.14, 1]), fill: belly },
      ]
    case 'scales':
      return parts(0.34, 0.86, 6).flatMap((part, column) =>
        [-0.55, -0.15, 0.25].map((side): Shape => {
          const shift = column % 2 ? 0.2 : 0
          const [top, bulge, bottom] = [
            body.at(part, side + shift - 0.18),
            body.at(part + 0.05, side + shift),
            body.at(part, side + shift + 0.18),
          ]
          return { d: line([top, bulge, bottom]), stroke: back, strokeWidth: 1.1, opacity: 0.7 }
        }),
      )
    case 'saddles':
      return parts(0.3, 0.86, 3).map((part) => {
        const width = dice.between(0.05, 0.075)
        const shape = [body.at(part - width, -0.98), body.at(part + width, -0.98), body.at(part, dice.between(0, 0.5))]
        return { d: blob(shape), fill: pattern, opacity: 0.8 }
      })
    case 'mask':
      return [
        { d: outline(body, -0.98, 0.7, [0.16, 0.29]), fill: pattern, opacity: 0.75 },
        { d: outline(body, -0.98, 0.9, [0.84, 0.94]), fill: pattern, opacity: 0.75 },
      ]
    default:
      return [-0.6, -0.35, -0.1, 0.15].map((side) => {
        const along = parts(0.28, 0.96, 6).map((part) => body.at(part, side))
        return { d: line(along), stroke: pattern, strokeWidth: 1.4, opacity: 0.7 }
      })
  }
}

function sideFin(dice: Dice, body: Body, { fin, pattern }: Paints): readonly Shape[] {
  const [x, y] = body.at(dice.between(0.36, 0.42), 0.3)
  const long = dice.between(9, 13)
  const shape = blob([
    [x, y - 2],
    [x + long, y - 1],
    [x + long * 0.9, y + long * 0.6],
    [x + 1, y + 4],
  ])
  return [
    { d: shape, fill: fin },
    {
      d: line([
        [x + 1, y],
        [x + long * 0.75, y + long * 0.25],
      ]),
      stroke: pattern,
      strokeWidth: 0.9,
      opacity: 0.5,
    },
  ]
}

function face(dice: Dice, body: Body, { back, shine, ink }: Paints): readonly Shape[] {
  const size = Math.min(body.height * 0.32, dice.between(2.8, 4.4))
  const eye = body.at(Math.max(0.13, dice.between(0.13, 0.18)), -0.28)
  const [mouthX, mouthY] = body.at(0.015, 0.35)
  const gill = [-0.55, 0, 0.5].map((side, index) => body.at(0.27 + (index === 1 ? 0.035 : 0), side))
  return [
    { d: line(gill), stroke: back, strokeWidth: 1.2, opacity: 0.8 },
    { d: circle(eye, size), fill: shine },
    { d: circle([eye[0] - size * 0.15, eye[1]], size * 0.62), fill: ink },
    { d: circle([eye[0] - size * 0.35, eye[1] - size * 0.25], size * 0.2), fill: shine },
    {
      d: line([
        [mouthX, mouthY],
        [mouthX + 3, mouthY + dice.between(0.5, 2)],
        [mouthX + 6, mouthY + dice.between(-0.5, 1)],
      ]),
      stroke: ink,
      strokeWidth: 1.1,
      opacity: 0.7,
    },
  ]
}

/** Draws highlights and sparkles: a rarer fish has more of them. */
function ornaments(dice: Dice, body: Body, { shine, fin }: Paints, rarity: RarityLabel): readonly Shape[] {
  const light: Shape = { d: outline(body, -0.62, -0.42, [0.2, 0.7]), fill: shine, opacity: 0.45 }
  const stars = (count: number) =>
    Array.from({ length: count }, (): Shape => {
      const [x, y] = body.at(dice.between(0.3, 1.1), dice.pick([-1, 1]) * dice.between(0.9, 1.8))
      return { d: sparkle([Math.min(113, x), Math.min(74, Math.max(6, y))], dice.between(2.2, 4)), fill: shine }
    })
  switch (rarity) {
    case 'Silver':
      return [light]
    case 'Gold':
      return [light, ...stars(2)]
    case 'Diamond':
      return [...facets(body, shine), ...stars(3)]
    case 'Platinum':
      return [light, ...stars(4)]
    case 'Mythical': {
      const [x, y] = body.at(0.03, 0.4)
      const whisker = (dx: number, dy: number) =>
        line([
          [x + 2, y + 1],
          [x + dx * 0.3, y + dy],
          [x + dx, y + dy * 1.4],
        ])
      const whiskers = [whisker(8, 9), whisker(2, 12)].map((d): Shape => ({ d, stroke: fin, strokeWidth: 1.6 }))
      return [light, ...whiskers, ...stars(6)]
    }
    default:
      return []
  }
}

/** Draws facets like those of a cut gem. */
function facets(body: Body, shine: string): readonly Shape[] {
  return [0.34, 0.52, 0.7].map((part, index) => ({
    d: polygon([body.at(part, -0.92), body.at(part + 0.1, 0), body.at(part - 0.06, 0.15)]),
    fill: shine,
    opacity: 0.4 - index * 0.08,
  }))
}
