import type { Client } from '@fish-crab/sdk'
import {
  CHAT_PATTERNS,
  type ChatCatch,
  type ChatCrab,
  type ChatFish,
  type ChatPattern,
  chatMessageOf,
  parseChatLine,
} from '@fish-crab/sdk/chat'
import { describe, expect, expectTypeOf, test } from 'vitest'

const SALMON = 'NICE CATCH! You caught a Salmon.'
const german: ChatPattern = (message) => {
  const name = /^Gefangen: ([^.]+)\.$/.exec(message)?.[1]
  return name === undefined ? undefined : { kind: 'fish', name, rarity: 5 }
}

describe('custom patterns', () => {
  test('can be functions, which receive the message stripped of its prefix and formatting', () => {
    const seen: string[] = []
    const pattern: ChatPattern = (message) => {
      seen.push(message)
      return german(message)
    }
    const parse = (line: string) => parseChatLine(line, { patterns: [pattern] })
    expect(parse('[12:00:01] [Render thread/INFO]: [CHAT] §aGefangen:  §bLachs.\r')).toStrictEqual({
      kind: 'fish',
      name: 'Lachs',
      rarity: 5,
      timeOfDay: '12:00:01',
    })
    expect(parse('[12:00:01] [Render thread/INFO]: Gefangen: Lachs.')).toBeUndefined()
    expect(seen).toEqual(['Gefangen: Lachs.'])
  })

  test('can be rules loaded from JSON', () => {
    const rules: ChatPattern[] = JSON.parse(
      `[{ "kind": "fish", "opening": "🎣 HAUL! Your net's got", "rarity": 3, "byAugment": true },
        { "kind": "fish", "opening": "HUI! You caught", "rarity": "catch-word" },
        { "kind": "fish", "opening": "You net", "rarity": "catch-word" },
        { "kind": "fish", "opening": "HO! You caught" },
        { "kind": "crab", "opening": "POT! You lifted" }]`,
    )
    const parse = (line: string) => parseChatLine(line, { patterns: [...CHAT_PATTERNS, ...rules] })
    const haul: ChatCatch = { kind: 'fish', name: 'Cod', rarity: 3, lengthCm: 3, byAugment: true }
    expect(parse('🎣 haul! Your net’s got some Cod with a length of 3cm!')).toStrictEqual(haul)
    expect(parse('EPIC HUI! You caught a Cod.')).toStrictEqual({ kind: 'fish', name: 'Cod', rarity: 4 })
    expect(parse('HUI! YOU CAUGHT a Cod.')).toStrictEqual({ kind: 'fish', name: 'Cod', rarity: 5 })
    expect(parse('YOU NET a Cod.')).toStrictEqual({ kind: 'fish', name: 'Cod', rarity: 5 })
    expect(parse('GREAT You net a Cod.')).toStrictEqual({ kind: 'fish', name: 'Cod', rarity: 3 })
    expect(parse('EPIC HO! You caught a Cod.')).toBeUndefined()
    expect(parse('HO! You caught a Cod.')).toStrictEqual({ kind: 'fish', name: 'Cod', rarity: 5 })
    expect(parse('POT! You lifted a Stone Crab!')).toStrictEqual({ kind: 'crab', name: 'Stone Crab' })
    expect(parse(SALMON)).toEqual(parseChatLine(SALMON))
  })

  test('apply in order, before or after the patterns of the game', () => {
    const mine: ChatPattern = () => ({ kind: 'crab', name: 'mine' })
    expect(parseChatLine(SALMON, { patterns: [mine, ...CHAT_PATTERNS] })).toMatchObject({ name: 'mine' })
    expect(parseChatLine(SALMON, { patterns: [...CHAT_PATTERNS, mine] })).toMatchObject({ name: 'Salmon' })
    expect(parseChatLine('hello', { patterns: [...CHAT_PATTERNS, mine] })).toMatchObject({ name: 'mine' })
    expect(parseChatLine(SALMON, { patterns: [] })).toBeUndefined()
  })

  test.each([
    { kind: 'fish', name: '', rarity: 1 },
    { kind: 'fish', name: 'x'.repeat(101), rarity: 1 },
    { kind: 'fish', name: 'a\nb', rarity: 1 },
    { kind: 'fish', rarity: 1 },
    { kind: 'fish', name: 'Cod' },
    { kind: 'fish', name: 'Cod', rarity: 8 },
    { kind: 'fish', name: 'Cod', rarity: 'Gold' },
    { kind: 'crab', name: '' },
    { kind: 'boot', name: 'Boot' },
  ])('find nothing if they return an invalid catch: %j', (response) => {
    const wrong = () => response as ChatCatch
    expect(parseChatLine('anything', { patterns: [wrong] })).toBeUndefined()
    expect(parseChatLine(SALMON, { patterns: [wrong, ...CHAT_PATTERNS] })).toMatchObject({ name: 'Salmon' })
  })

  test('can set the time of day, and can throw errors', () => {
    const timed: ChatPattern = () => ({ kind: 'crab', name: 'crab', timeOfDay: '01:02:03' })
    expect(parseChatLine('[12:00:01] hi', { patterns: [timed] })).toMatchObject({ timeOfDay: '01:02:03' })
    const broken: ChatPattern = () => {
      throw new Error('broken')
    }
    expect(() => parseChatLine('hi', { patterns: [broken] })).toThrow('broken')
  })
})

describe('chatMessageOf()', () => {
  test.each([
    'NICE CATCH! You caught a Salmon.\n+5 XP',
    'NICE CATCH! You caught a Salmon.\n',
    '\nNICE CATCH! You caught a Salmon.',
    'NICE CATCH!\r\nYou caught a Salmon.',
    'NICE CATCH! You caught a\nSalmon.',
    '§aNICE CATCH!§r\n§7You caught a Salmon§r\n',
    '\n&aNICE CATCH!\n&7You caught a Salmon.',
    '\n[12:00] NICE CATCH! You caught a Salmon.',
    '<Steve> hi\nNICE CATCH! You caught a Salmon.',
  ])('reads %j with line breaks that the log writes as two characters', (message) => {
    const prefix = '[12:00:01] [Render thread/INFO]: [CHAT] '
    const logged = prefix + message.replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    expect(chatMessageOf(logged)).toEqual(chatMessageOf(prefix + message))
    expect(parseChatLine(logged)).toEqual(parseChatLine(prefix + message))
  })

  test('keeps a backslash in a message that does not come from a log', () => {
    expect(chatMessageOf('C:\\new')).toEqual({ text: 'C:\\new' })
  })

  test.each([
    ['[12:00:01] [Render thread/INFO]: [CHAT] §aWelcome!', { text: 'Welcome!', timeOfDay: '12:00:01' }],
    ['[12:00:01] [Render thread/INFO]: [CHAT] <Steve> hi [CHAT] there', { text: '<Steve> hi [CHAT] there' }],
    ['[12:00:01] [Render thread/INFO]: [CHAT] [VIP] Steve » hi', { text: '[VIP] Steve » hi' }],
    ['[VIP] Steve » hi', { text: '[VIP] Steve » hi' }],
    ['[System] Restart in 5 minutes', { text: '[System] Restart in 5 minutes' }],
    ['[INFO] Restart in 5 minutes', { text: '[INFO] Restart in 5 minutes' }],
    ['5 minutes left', { text: '5 minutes left' }],
    ['25:00 is no time', { text: '25:00 is no time' }],
    ['&6Welcome &lback', { text: 'Welcome back' }],
    ['R&B', { text: 'R&B' }],
  ])('returns the message in %s', (line, expected) => {
    expect(chatMessageOf(line)).toMatchObject(expected)
  })

  test.each([
    '[12:00:01] [Render thread/INFO]: Stopping!',
    '[12:00:01] [Worker-Main-3/WARN] [minecraft/ChatComponent]: no chat',
    '[12:00:01] [Render thread/INFO]: [CHAT] ',
    '[12:00:01] [Render thread/INFO]: [CHAT] §r§l\u200b',
    '',
  ])('returns undefined for %j', (line) => {
    expect(chatMessageOf(line)).toBeUndefined()
  })
})

test('the client accepts a parsed catch without conversion', () => {
  expectTypeOf<ChatFish>().toExtend<Parameters<Client['fish']['add']>[0]>()
  expectTypeOf<ChatCrab>().toExtend<NonNullable<Parameters<Client['crabs']['add']>[0]>>()
})
