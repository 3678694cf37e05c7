import { describe, expect, test } from 'vitest'
import { CHAT_PATTERNS, type ChatTemplate, createChatPattern, parseChatLine } from '../../src/chat/index.ts'

const read = (template: Partial<ChatTemplate> & Pick<ChatTemplate, 'template'>, message: string) =>
  parseChatLine(message, { patterns: [...CHAT_PATTERNS, createChatPattern({ kind: 'fish', ...template })] })

describe('a pattern created from a template', () => {
  test('reads name, rarity and length, even in a translated message and after a prefix', () => {
    const german = {
      template: '{rarity} FANG! Du hast einen {name} mit {length} cm gefangen.',
      rarities: { guter: 'Silver', Toller: 3 },
    } as const
    const at = '[12:00:01] [Render thread/INFO]: [CHAT] '
    expect(read(german, `${at}§aGUTER FANG!§r Du hast einen  Königslachs mit 12,5 cm gefangen.`)).toEqual({
      kind: 'fish',
      name: 'Königslachs',
      rarity: 2,
      lengthCm: 12.5,
      timeOfDay: '12:00:01',
    })
    expect(read(german, `${at}GUTER FANG! Du hast einen Wal mit 1.031,5 cm gefangen.\\n`)).toMatchObject({
      name: 'Wal',
      lengthCm: 1031.5,
    })
    expect(read(german, 'TOLLER FANG! Du hast einen Lachs mit 3 cm gefangen.')).toMatchObject({ rarity: 3 })
    const prefixed = { template: '[Pro] {rarity} CATCH! You caught a {name}.' }
    expect(read(prefixed, '[Pro] NICE CATCH! You caught a Salmon.')).toMatchObject({ name: 'Salmon', rarity: 2 })
    expect(read(prefixed, '[Pro] ODD CATCH! You caught a Salmon.')).toMatchObject({ name: 'Salmon', rarity: 5 })
  })

  test('reads both named and unnamed crabs, and adds fixed fields', () => {
    expect(read({ kind: 'crab', template: 'ZWICK! {any} Krabbe' }, 'ZWICK! Eine Krabbe')).toEqual({
      kind: 'crab',
      name: 'crab',
    })
    expect(read({ kind: 'crab', template: 'ZWICK! {name}' }, 'ZWICK! Hermit Crab')).toMatchObject({
      name: 'Hermit Crab',
    })
    const first = { template: 'NEU! {name}', rarity: 'Gold', firstTime: true, byAugment: true } as const
    expect(read(first, 'NEU! Karpfen')).toEqual({
      kind: 'fish',
      name: 'Karpfen',
      rarity: 3,
      firstTime: true,
      byAugment: true,
    })
  })

  test('applies after the patterns of the game, and never to player messages', () => {
    const broad = { template: '{rarity} CATCH! {name}', rarities: { nice: 'Mythical' } } as const
    expect(read(broad, 'NICE CATCH! You caught a Cod.')).toMatchObject({ name: 'Cod', rarity: 2 })
    for (const typed of ['<Bob> NICE CATCH! Cod', 'Bob CATCH! Cod', 'Bob: NICE CATCH! Cod', 'NICE CATCH!']) {
      expect(read(broad, typed)).toBeUndefined()
    }
  })

  test.each<[string, object, string]>([
    ['a template that is not text', { template: 1 }, 'template must be text'],
    ['a template that is too long', { template: `a${'b'.repeat(200)}{name}` }, 'at most 200'],
    ['no name', { template: 'FANG!' }, 'no {name}'],
    ['a name twice', { template: 'F {name} {name}' }, '{name} more than once'],
    ['an unknown group', { template: 'F {naem}' }, 'unknown group'],
    ['an incomplete group', { template: 'F {name} {' }, 'brace'],
    ['nothing between two groups', { template: 'F {rarity}{name}' }, 'without text between'],
    ['a name first, which players could fake', { template: '{name} FANG!' }, 'must begin with text'],
    ['a wildcard first', { template: '{any} FANG! {name}' }, 'must begin with text'],
    ['a rarity but no leading text', { template: '{rarity} {name}' }, 'must begin with text'],
    ['an unknown rarity', { template: 'F {name}', rarity: 'Golden' }, 'rarity and rarities'],
    ['an unknown rarity for a word', { template: 'F {rarity} {name}', rarities: { a: 9 } }, 'rarity and rarities'],
    ['a crab with a rarity', { kind: 'crab', template: 'F', rarity: 1 }, 'no rarity'],
    ['an unknown kind', { kind: 'whale', template: 'F {name}' }, 'kind must be'],
    ['an invalid flag', { template: 'F {name}', firstTime: 'yes' }, 'firstTime must be'],
  ])('cannot be created with %s', (_title, template, message) => {
    const make = () => createChatPattern({ kind: 'fish', ...template } as ChatTemplate)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('takes linear time: a message 64 times as long takes less than 640 times the CPU time', () => {
    const pattern = createChatPattern({ kind: 'fish', template: 'a {any} a {any} a {any} a {any} a {any} a {name} b' })
    const timeOf = (length: number) => {
      const message = 'a '.repeat(length)
      const before = process.cpuUsage()
      for (let run = 0; run < 20; run += 1) pattern(message)
      // CPU time does not depend on other programs.
      return process.cpuUsage(before).user / 1000
    }
    timeOf(1000)
    expect(timeOf(64_000) / Math.max(0.05, timeOf(1000))).toBeLessThan(640)
  })
})
