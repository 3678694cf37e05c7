import { createMock, type Mock } from '@fish-crab/mocks'
import { type CatchPattern, expect } from '@fish-crab/mocks/vitest'
import { createClient } from '@fish-crab/sdk'
import { beforeEach, describe, it } from 'vitest'

let mock: Mock

beforeEach(async () => {
  mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  await client.fish.add([
    { name: 'Salmon', rarity: 'gold' },
    { name: 'Salmon Trout', rarity: 6 },
  ])
  await client.crabs.add({})
})

/** A call without type checks. */
const pattern = (value: unknown) => value as CatchPattern

/** The values that a runner prints as a diff. */
function failureOf(run: () => void): { actual?: unknown; expected?: unknown; message: string } {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('The matcher passed.')
}

describe('toHaveSentFish()', () => {
  it.each<[string, CatchPattern, number]>([
    ['a text', { name: 'Salmon' }, 1],
    ['an asymmetric matcher', { name: expect.stringMatching(/^Sal/), id: expect.any(String) }, 2],
    ['a regular expression that remembers where it was', { name: /Salmon/g }, 2],
    ['a regular expression in place of a name', /^Salmon$/, 1],
    ['an asymmetric matcher in place of a name', expect.stringContaining('Trout'), 1],
    ['an asymmetric matcher of the whole catch', expect.objectContaining({ rarity: 'Gold' }), 1],
    ['a rarity in any letter case', { rarity: 'gOLD' as 'gold' }, 1],
    ['a rarity as a number', { rarity: 3 }, 1],
    ['an asymmetric rarity', { rarity: expect.stringMatching(/^(Gold|Platinum)$/) }, 2],
    ['a user in any letter case', { user: 'aLEX' }, 2],
  ])('finds catches by %s', (_, wanted, times) => {
    expect(mock).toHaveSentFish(wanted, times)
    expect(() => expect(mock).not.toHaveSentFish(wanted)).toThrow('should not store fish')
  })

  it.each<[string, unknown, string]>([
    [
      'an unknown field',
      { nam: 'Salmon' },
      'Unknown field "nam". Known fields: user, gamemode, name, id, caughtAt, rarity.',
    ],
    [
      'an unknown rarity',
      { rarity: 'golden' },
      'Unknown rarity "golden". Use 1 to 7, or one of Unknown/Other, Bronze, Silver',
    ],
    ['an unknown gamemode', { gamemode: 'Earth' }, 'Unknown gamemode "Earth". Known gamemodes: oneblock, earth,'],
    ['a field without a value', { name: undefined }, 'The field "name" is undefined.'],
    [
      'a pattern of another kind',
      3,
      'A pattern must be a name, a regular expression, an asymmetric matcher or an object',
    ],
  ])('rejects %s, even after .not', (_, wanted, message) => {
    expect(() => expect(mock).toHaveSentFish(pattern(wanted))).toThrow(message)
    expect(() => expect(mock).not.toHaveSentFish(pattern(wanted))).toThrow(message)
  })

  it.each([-1, 0.5, Number.NaN])('rejects %d times', (times) => {
    expect(() => expect(mock).toHaveSentFish('Salmon', times)).toThrow('times must be 0 or a positive integer.')
    expect(() => expect(mock).not.toHaveSentFish('Salmon', times)).toThrow('times must be 0 or a positive integer.')
  })

  it('gives runners the stored and the expected catches for a diff, in the fields of the pattern', () => {
    expect(failureOf(() => expect(mock).toHaveSentFish({ name: 'Koi', rarity: 3 }))).toMatchObject({
      actual: [
        { name: 'Salmon', rarity: 'Gold' },
        { name: 'Salmon Trout', rarity: 'Platinum' },
      ],
      expected: [{ name: 'Koi', rarity: 'Gold' }],
    })
    expect(failureOf(() => expect(mock).toHaveSentFish('Salmon', 2))).toMatchObject({ actual: 1, expected: 2 })
    expect(failureOf(() => expect(mock).not.toHaveSentFish('Salmon'))).toMatchObject({ actual: 1, expected: 0 })
  })

  it('has the asymmetric matcher in its message', () => {
    const { message } = failureOf(() => expect(mock).toHaveSentFish({ name: expect.any(Number) }))
    expect(message).toContain('like {"name":"Any<Number>"}; it did 0 times.')
  })
})

it('toHaveSentCrabs() rejects a rarity, which crabs do not have', () => {
  expect(() => expect(mock).not.toHaveSentCrabs({ rarity: 3 })).toThrow('Unknown field "rarity".')
  expect(mock).toHaveSentCrabs({ name: expect.stringMatching(/^c/) }, 1)
})

describe('toHaveReceived()', () => {
  it('rejects an unknown route, even after .not', () => {
    const route = 'postfish' as 'postFish'
    expect(() => expect(mock).toHaveReceived(route)).toThrow('Unknown route "postfish". Known routes: ')
    expect(() => expect(mock).not.toHaveReceived(route)).toThrow('getFish, getCrab, postFish, postCrab')
  })

  it('gives runners the requested routes for a diff', () => {
    expect(failureOf(() => expect(mock).toHaveReceived('getFish'))).toMatchObject({
      actual: ['postFish', 'postCrab'],
      expected: ['getFish'],
    })
    expect(failureOf(() => expect(mock).toHaveReceived('postFish', 2))).toMatchObject({ actual: 1, expected: 2 })
  })
})

it('every matcher rejects what is not a mock', () => {
  for (const check of [expect(undefined), expect({ sent: 1 }).not]) {
    expect(() => check.toHaveSentFish()).toThrow('expect() must get a mock of createMock().')
    expect(() => check.toHaveSentCrabs()).toThrow('expect() must get a mock')
    expect(() => check.toHaveReceived('getFish')).toThrow('expect() must get a mock')
    expect(() => check.toHaveBeenRateLimited()).toThrow('expect() must get a mock')
  }
})

it('toHaveBeenRateLimited() gives runners the statuses for a diff', () => {
  expect(failureOf(() => expect(mock).toHaveBeenRateLimited())).toMatchObject({ actual: [201, 201], expected: [429] })
})
