import { readFileSync } from 'node:fs'
import { RARITY_LABELS } from '@fish-crab/sdk/contract'
import { describe, expect, test } from 'vitest'
import { LABEL_COLOURS } from '../../src/app/sharing/figures.ts'
import { paintsOf } from '../../src/drawings/palette.ts'
import { createDice } from '../../src/drawings/random.ts'

type Colour = readonly [red: number, green: number, blue: number]

const read = (file: string) => readFileSync(new URL(`../../web/src/${file}`, import.meta.url), 'utf8')
const [theme, creature, collection] = [
  read('parts/theme.css'),
  read('parts/creature.css'),
  read('collection/collection.css'),
]

function found(text: string, pattern: RegExp): readonly string[] {
  const groups = pattern.exec(text)?.slice(1)
  if (!groups) throw new Error(`The style sheets do not contain ${pattern}.`)
  return groups
}

function parse(hex: string): Colour {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((index) => Number.parseInt(hex.slice(index, index + 2), 16))
  return [red, green, blue]
}

const mix = (above: Colour, below: Colour, opacity: number) =>
  above.map((channel, index) => channel * opacity + (below[index] ?? 0) * (1 - opacity)) as unknown as Colour

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

const hexes = (text: string) => (text.match(/#[\da-f]{6}\b/g) ?? []).map(parse)
const SEA = hexes(found(collection, /linear-gradient\((170deg.*)\)/)[0] ?? '')
const NIGHT_SKY = hexes(found(collection, /--night-sky: (.*);/)[0] ?? '')
const RARITIES = ['bronze', 'silver', 'gold', 'diamond', 'unknown', 'platinum', 'mythical', 'crab'] as const

const schemes = (['day', 'night'] as const).map((scheme, index) => {
  const variable = (name: string) =>
    parse(found(theme, new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`))[index] ?? '')
  const tint = (rarity: string): Colour => {
    const [red = 0, green = 0, blue = 0] = (
      found(creature, new RegExp(`\\.${rarity} {[^}]*--${scheme}: ([\\d ]+);`))[0] ?? ''
    )
      .split(' ')
      .map(Number)
    return [red, green, blue]
  }
  const [panel, page] = [variable('panel'), variable('page')]
  return { scheme, page, panel, line: variable('field-line'), tint }
})

const names = Array.from({ length: 2000 }, (_, index) => `Species ${index}`)
const paints = names.map((name) => paintsOf(createDice(`fish ${name}`)))

test('forty species have well over twenty pairs of colours, of all hues', () => {
  expect(new Set(paints.slice(0, 40).map(({ body, fin }) => body + fin)).size).toBeGreaterThan(30)
  expect(new Set(paints.map(({ body }) => body)).size).toBe(36)
})

describe.each(schemes)('by $scheme, the contrast is at least 3:1', ({ scheme, page, panel, line, tint }) => {
  test.each(RARITIES)('of the frame and the pips of %s with their surroundings', (rarity) => {
    const washed = mix(tint(rarity), panel, 0.09)
    for (const ground of [page, panel, washed]) expect(contrast(tint(rarity), ground)).toBeGreaterThanOrEqual(3)
  })

  test('of a missing pip with its card', () => {
    expect(contrast(line, panel)).toBeGreaterThanOrEqual(3)
  })

  test('of the frame of a Mythical card with its surroundings', () => {
    const [card = ''] = found(collection, /--rainbow: (.*);/)
    for (const colour of hexes(card)) {
      for (const ground of [page, panel]) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3)
    }
  })

  test.each(RARITIES)('of the body or the edge of every drawing with the ground of %s', (rarity) => {
    const washed = mix(tint(rarity), panel, 0.09)
    const grounds = [
      page,
      panel,
      washed,
      mix(tint(rarity), washed, scheme === 'day' ? 0.35 : 0.22),
      ...NIGHT_SKY,
      ...SEA,
    ]
    for (const { body, edge } of paints) {
      for (const ground of grounds) {
        const best = Math.max(...[body, edge].map((colour) => contrast(parse(colour), ground)))
        expect(best).toBeGreaterThanOrEqual(3)
      }
    }
  })
})

test.each([...RARITY_LABELS, 'Crab' as const])(
  'the colour of %s has a contrast of 3:1 on the sea of a card',
  (label) => {
    for (const ground of ['#0f5570', '#0a3550', '#051827', '#0a2a3c']) {
      expect(contrast(parse(LABEL_COLOURS[label]), parse(ground))).toBeGreaterThanOrEqual(3)
    }
  },
)

test('the frame of a Mythical fish in the showcase has a contrast of 3:1 on the sea', () => {
  const [, showcase = ''] = [...collection.matchAll(/--rainbow: (.*);/g)].map(([, colours]) => colours)
  for (const colour of hexes(showcase)) {
    for (const ground of SEA) expect(contrast(colour, ground)).toBeGreaterThanOrEqual(3)
  }
})
