import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeItemKey, encodeKeyPart, type FishStorage, itemKey } from '../../src/storage/index.ts'

const ODD_NAMES = [
  ...'alice Alice alice?x alice? alice:x alice::x :alice alice/x alice\\x alice$ alice. . .. * %'.split(' '),
  ...'%AACO 😀 é e\u0301 İ null __proto__'.split(' '),
  ...[' ', 'a b', '\u0000', '\ud800', '\udfff', 'a'.repeat(300)],
]

const ODD_VALUES = [
  '',
  '0',
  '123',
  '1e3',
  'true',
  'null',
  'undefined',
  'NaN',
  '{"a":1}',
  '[1]',
  '"quoted"',
  '{broken',
  ' padded ',
  'base64:AAAA',
  '{"__proto__":{"x":1}}',
  'zero \u0000 byte',
  '🦀 é e\u0301',
  'line\nbreak',
  'x'.repeat(1_000_000),
]

export function describeItems(storage: () => FishStorage): void {
  const newBase = () => `test-${randomUUID()}:`

  test('stores items with unusual names separately', async () => {
    const base = newBase()
    for (const name of ODD_NAMES) await storage().items.setItem(itemKey(base, name), `value of ${JSON.stringify(name)}`)
    for (const name of ODD_NAMES) {
      expect(await storage().items.getItem(itemKey(base, name))).toBe(`value of ${JSON.stringify(name)}`)
    }
    const { items } = await storage().listItems({ base, limit: 1000 })
    expect(items.map((item) => decodeItemKey(item.key)).sort()).toEqual([...ODD_NAMES].sort())
    await storage().items.removeItem(itemKey(base, 'alice?x'))
    expect(await storage().items.getItem(itemKey(base, 'alice?x'))).toBeNull()
    expect(await storage().items.getItem(itemKey(base, 'alice'))).toBe('value of "alice"')
  })

  test('returns exactly the string that was set', async () => {
    const base = newBase()
    for (const [i, value] of ODD_VALUES.entries()) {
      const key = itemKey(base, String(i))
      await storage().items.setItem(key, value)
      expect(await storage().items.getItem(key)).toBe(value)
    }
    const { items } = await storage().listItems({ base, limit: 1000 })
    expect(items.map((item) => item.value).sort()).toEqual([...ODD_VALUES].sort())
  })

  test('lets exactly one of many concurrent callers set, replace or remove an item', async () => {
    const key = itemKey(newBase(), 'name')
    const winnerOf = async (call: (value: string) => Promise<boolean>) => {
      const calls = await Promise.all(Array.from({ length: 32 }, (_, i) => call(String(i))))
      expect(calls.filter(Boolean)).toHaveLength(1)
      return String(calls.indexOf(true))
    }
    const first = await winnerOf((value) => storage().setItemIfAbsent(key, value))
    expect(await storage().items.getItem(key)).toBe(first)
    const second = await winnerOf((value) => storage().replaceItemIf(key, first, `new ${value}`))
    expect(await storage().items.getItem(key)).toBe(`new ${second}`)
    await winnerOf(() => storage().removeItemIf(key, `new ${second}`))
    expect(await storage().items.getItem(key)).toBeNull()
  })

  test('lists items in the order of their keys, page by page', async () => {
    const base = newBase()
    const names = Array.from({ length: 12 }, (_, i) => `n${String((i * 7) % 12).padStart(2, '0')}`)
    await Promise.all(names.map((name) => storage().items.setItem(itemKey(base, name), name)))
    const pages: string[][] = []
    let after: string | undefined
    do {
      const page = await storage().listItems({ base, limit: 5, ...(after === undefined ? {} : { after }) })
      pages.push(page.items.map((item) => item.value))
      after = page.next
    } while (after !== undefined)
    expect(pages.map((page) => page.length)).toEqual([5, 5, 2])
    expect(pages.flat()).toEqual([...names].sort())
    expect(await storage().listItems({ base, limit: 12 })).not.toHaveProperty('next')
  })

  test('lists only items whose keys begin with the base', async () => {
    const base = newBase()
    const stem = base.slice(0, -1)
    for (const key of [stem, `${stem}-x:a`, `${stem}:a`, `${stem}:a:b`, `${stem}a:a`]) {
      await storage().items.setItem(key, key)
    }
    const page = await storage().listItems({ base, limit: 9 })
    expect(page.items.map((item) => item.key)).toEqual([`${stem}:a`, `${stem}:a:b`])
    expect((await storage().items.getKeys(base)).sort()).toEqual([`${stem}:a`, `${stem}:a:b`])
  })

  test('finds exactly the names that contain a text, also across pages', async () => {
    const base = newBase()
    const names = ['a.b', 'a2b', 'xaab', 'co', 'b', 'c.o', 'test']
    for (const name of names) await storage().items.setItem(itemKey(base, name), name)
    const find = async (text: string) =>
      (await storage().listItems({ base, contains: encodeKeyPart(text), limit: 9 })).items.map((item) => item.value)
    for (const [text, found] of Object.entries({
      '.': ['a.b', 'c.o'],
      aa: ['xaab'],
      co: ['co'],
      2: ['a2b'],
      zzz: [],
    })) {
      expect((await find(text)).sort(), text).toEqual(found)
    }

    const first = await storage().listItems({ base, contains: 'b', limit: 2 })
    const second = await storage().listItems({ base, contains: 'b', limit: 2, after: first.next ?? '' })
    expect([...first.items, ...second.items].map((item) => item.value).sort()).toEqual(['a.b', 'a2b', 'b', 'xaab'])
    expect(second.next).toBeUndefined()
  })
}
