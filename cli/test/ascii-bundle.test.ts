import { describe, expect, test } from 'vitest'
import { toAscii } from '../build/startup.ts'

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
    const written = toAscii(`x = ${code}`)
    expect(written).toMatch(/^[\0-\x7f]+$/)
    const expression = read(written.slice('x = '.length)) as RegExp
    const original = read(code) as RegExp
    expect(text.match(expression)).toEqual(text.match(original))
    expect(text.match(expression)).not.toBeNull()
    expect(expression.flags).toBe(original.flags)
  })

  test('is as it was where it was so before, divisions, texts and comments too', () => {
    const code = 'a = b / c / d; e = "/\\u00e9/"; // x\n f = [a / /x/g]'
    expect(toAscii(code)).toBe(code)
  })

  test('means the same in texts, and is refused in raw templates, which see the escape', () => {
    expect(read(toAscii('"é" + `é`'))).toBe('éé')
    expect(() => toAscii('String.raw`é`')).toThrow('beyond ASCII')
  })
})
