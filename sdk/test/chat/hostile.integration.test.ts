import { chatMessageOf, parseChatLine, stripChatFormatting } from '@fish-crab/sdk/chat'
import { describe, expect, test } from 'vitest'

const MEGABYTE = 1024 * 1024
const LINE = 4096

/** Texts to repeat. Quadratic code would need many minutes for a megabyte of any text and exceed the time limit. */
const UNITS = [
  '§',
  '§x',
  'Â',
  'Â§',
  '&a',
  '&#',
  '\x1b[',
  '\x1b[0',
  '0;',
  ' ',
  ' \0',
  '\u200b',
  '\u200d',
  'é\u200d',
  'â',
  'â\x80',
  '.',
  'a.',
  '. ',
  'é. ',
  '!',
  '[',
  '[]',
  '[12:00]',
  '(12:00)',
  '12:00 ',
  '1T12:00',
  '1',
  '[1 ',
  ' with a length of ',
  '1,',
  ',123',
  '\\n',
  '1 2026',
  '1.',
  ' for the first time',
  ' a ',
  'A',
  '\ud83d',
  '?',
]

const BEGINNINGS = [
  '',
  '&a',
  '\x1b[',
  '[1',
  '[12:00:01] [Render thread/INFO]: [CHAT] ',
  'NICE CATCH! You caught a ',
  'NICE CATCH! You caught a x with a length of ',
  'NEW ENTRY! You caught a Gold ',
  'FISHING ▶ You fished up a ',
]

const filled = (start: string, unit: string, length: number) =>
  start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - start.length)

describe('hostile text', () => {
  test.each(UNITS)('a megabyte of %j is stripped in linear time', (unit) => {
    for (const start of ['', '&a', '\x1b[', 'a']) {
      expect(stripChatFormatting(filled(start, unit, MEGABYTE)).length).toBeLessThanOrEqual(MEGABYTE)
    }
  })

  test.each(BEGINNINGS)('a line of maximum length that starts with %j is read in linear time', (start) => {
    for (const unit of UNITS) {
      const line = filled(start, unit, LINE)
      expect(line).toHaveLength(LINE)
      for (let times = 0; times < 20; times++) parseChatLine(line)
    }
  })

  test('a line of 4,096 characters is parsed, and a longer line is skipped', () => {
    const line = 'NICE CATCH! You caught a Salmon.'.padEnd(LINE)
    expect(parseChatLine(line)).toMatchObject({ name: 'Salmon' })
    expect(parseChatLine(`${line} `)).toBeUndefined()
    expect(chatMessageOf('x'.repeat(LINE))).toBeDefined()
    expect(chatMessageOf('x'.repeat(LINE + 1))).toBeUndefined()
    expect(chatMessageOf('x'.repeat(64 * MEGABYTE))).toBeUndefined()
  })
})

test.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [31.5, '31.5'],
  [true, 'true'],
  [{ text: 'NICE CATCH! You caught a Salmon.' }, '[object Object]'],
  [new Map(), '[object Map]'],
])('the parser rejects %o with an error that contains the value', (value, shown) => {
  for (const parse of [parseChatLine, chatMessageOf]) {
    expect(() => parse(value as string)).toThrow(new TypeError(`A chat line must be text, not ${shown}.`))
  }
})

test('the parser accepts an object with its own toString, such as a chat message of mineflayer or a buffer', () => {
  const text = '§6NICE CATCH!§r You caught a Salmon.'
  class ChatMessage {
    readonly json = { text }
    toString() {
      return this.json.text
    }
  }
  for (const line of [new ChatMessage(), Buffer.from(text)]) {
    expect(parseChatLine(line)).toEqual({ kind: 'fish', name: 'Salmon', rarity: 2 })
  }
})
