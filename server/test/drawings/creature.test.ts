import { RARITY_LABELS } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CREATURE_SIZE, creatureOf } from '../../src/drawings/creature.ts'

const paths = (...species: Parameters<typeof creatureOf>) => creatureOf(...species).map(({ d }) => d)

test('a species always has the same drawing, in any letter case of its name', () => {
  const salmon = creatureOf({ kind: 'fish', name: 'Salmon', rarity: 'Gold' })
  expect(creatureOf({ kind: 'fish', name: 'SALMON', rarity: 'Gold' })).toEqual(salmon)
})

test('two hundred species have two hundred different drawings', () => {
  const names = Array.from({ length: 200 }, (_, index) => `Species ${index}`)
  for (const kind of ['fish', 'crab'] as const) {
    const rarity = kind === 'fish' ? 'Silver' : undefined
    expect(new Set(names.map((name) => paths({ kind, name, rarity }).join())).size).toBe(200)
  }
})

test('a species has the same body and the same colours in all rarities', () => {
  const [bronze = [], mythical = []] = (['Bronze', 'Mythical'] as const).map((rarity) =>
    creatureOf({ kind: 'fish', name: 'Koi', rarity }),
  )
  const bodies = [bronze, mythical].map((shapes) => new Set(shapes.map(({ d }) => d)))
  expect([...(bodies[0] ?? [])].filter((d) => bodies[1]?.has(d)).length).toBeGreaterThan(4)
  const colours = [bronze, mythical].map(
    (shapes) => new Set(shapes.flatMap(({ fill = [], stroke = [] }) => [fill, stroke].flat())),
  )
  expect(colours[0]).toEqual(colours[1])
})

test('a drawing stays within the frame, and contains only numbers and colours, whatever the name', () => {
  const rarity = fc.option(fc.constantFrom(...RARITY_LABELS), { nil: undefined })
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), rarity, (name, rarity) => {
      for (const { d, fill = '#000000', stroke = '#000000' } of creatureOf({
        kind: rarity ? 'fish' : 'crab',
        name,
        rarity,
      })) {
        expect(d).toMatch(/^M[Mlqtaz\d .-]+$/)
        expect(fill + stroke).toMatch(/^#[\da-f]{6}#[\da-f]{6}$/)
        const [x = 0, y = 0] = /^M(-?[\d.]+) ?(-?[\d.]+)/.exec(d)?.slice(1).map(Number) ?? []
        expect(x).toBeGreaterThanOrEqual(-2)
        expect(x).toBeLessThanOrEqual(CREATURE_SIZE.width + 2)
        expect(y).toBeGreaterThanOrEqual(-2)
        expect(y).toBeLessThanOrEqual(CREATURE_SIZE.height + 2)
      }
    }),
  )
})
test('neighbouring paths are joined only if they look the same', () => {
  const looks = creatureOf({ kind: 'fish', name: 'Salmon', rarity: 'Gold' }).map(({ d: _, ...look }) => look)
  // The six colours of the body, its back and belly, the fins, the eye and the pupil.
  expect(new Set(looks.flatMap(({ fill }) => fill ?? [])).size).toBe(6)
  for (const [index, look] of looks.entries()) expect(look).not.toEqual(looks[index + 1])
})
