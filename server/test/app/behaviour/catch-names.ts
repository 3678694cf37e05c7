import { describe, expect, it } from 'vitest'
import { countAll, listed, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const entries = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

const NAMES = [
  ['one character', 'x'],
  ['100 characters', 'x'.repeat(100)],
  ['100 emoji', '🐟'.repeat(100)],
  ['letters of any script', 'Лосось 鮭 سلمون ẞ'],
  ['joined emoji', '👩‍🚀'],
  ['quotes and backslashes', '"\\/\'`'],
  ['markup', '<script>alert(1)</script>'],
  ['line separators of JavaScript', 'a\u2028b\u2029c'],
  ['the name of a property', '__proto__'],
  ['spaces', ' x '],
] as const

const BAD_NAMES = [
  ['no character', ''],
  ['101 characters', 'x'.repeat(101)],
  ['101 emoji', '🐟'.repeat(101)],
  ['a newline', 'a\nb'],
  ['a NUL', 'a\0'],
  ['a DEL', '\x7f'],
  ['a C1 control', '\u0085'],
  ['a lone surrogate', 'a\ud83d'],
  ['a trailing newline', 'Cod\n'],
  ['a number', 5],
  ['null', null],
  ['a list', ['Cod']],
  ['an object', { toString: 'Cod' }],
] as const

/** The names of fish and crabs. */
export function catchNamesBehaviour(open: OpenService): void {
  describe('a payload', () => {
    it.each(NAMES)('with a name of %s is stored to the letter', async (_, name) => {
      const service = await open(UNLIMITED)
      for (const payload of [{ fish: name, rarity: 1 }, { fish: [{ name, rarity: 1 }] }]) {
        expect((await write(service, 'fish', payload)).status).toBe(201)
      }
      for (const payload of [{ fish: name }, { crab: [{ name }] }]) {
        expect((await write(service, 'crab', payload)).status).toBe(201)
      }
      expect(await listed(service, 'fish')).toEqual(entries(2, { name, rarity: 'Bronze' }))
      expect(await listed(service, 'crab')).toEqual(entries(2, { name }))
    })

    it.each(BAD_NAMES)('with a name of %s is refused, with details', async (_, name) => {
      const service = await open(UNLIMITED)
      for (const payload of [{ fish: name, rarity: 1 }, { fish: [{ name, rarity: 1 }] }]) {
        const { details } = await expectError(await write(service, 'fish', payload), 'invalid_payload')
        expect(details?.length).toBeGreaterThan(0)
      }
      for (const payload of [{ fish: name }, { crab: [{ name }] }]) {
        await expectError(await write(service, 'crab', payload), 'invalid_payload')
      }
      expect(await countAll(service)).toBe(0)
    })
  })
}
