import { describe, expect, test } from 'vitest'
import { oneByte } from '../build/one-byte.ts'

const read = (code: string) => new Function(`return ${code}`)() as unknown

describe('a program in ASCII', () => {
  test.each([
    ['/§[0-9a-z]?|é+/gi', '§aÉéx'],
    ['/[▶►]\\ufe0f/u', '►\ufe0f'],
    ['/(?<größe>\\d)ß/', '7ß'],
    ['/a\\\\é/', 'a\\é'],
    ['/\\é[\\§\\]]/', 'é§'],
    ['/🐟{2}/u', '🐟🐟'],
    ['/[🐟🦀]/u', '🦀'],
    ['/🐟/', '🐟'],
  ])('has the same expression %s', (code, text) => {
    const written = oneByte(`x = ${code}`)
    expect(written).toMatch(/^[\0-\x7f]+$/)
    const expression = read(written.slice('x = '.length)) as RegExp
    const original = read(code) as RegExp
    expect(text.match(expression)).toEqual(text.match(original))
    expect(text.match(expression)).not.toBeNull()
    expect(expression.flags).toBe(original.flags)
  })

  test('is as it was where it was so before, divisions, texts and comments too', () => {
    const code = 'a = b / c / d; e = "/\\u00e9/"; // x\n f = [a / /x/g]'
    expect(oneByte(code)).toBe(code)
  })

  test.each(['"é"', '`é`', 'String.raw`é`', '/* é */ 1', 'é = 1', '1 / é / 2'])(
    'cannot be made of what has others outside of expressions: %s',
    (code) => expect(() => oneByte(code)).toThrow('beyond ASCII'),
  )
})
