import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeItemKey, encodeKeyPart, type FishStorage, itemKey } from '../storage/index.ts'

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

  test('keeps items under odd names apart', async () => {
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

  test('rejects a key that would be changed on its way, and stores nothing', async () => {
    for (const key of ['', 'alice?x', 'a/b', 'a\\b', 'a::b', ':a', 'a:', 'a:..:b', 'a$', 'é', 'a b']) {
      const refusal = { name: 'StorageError', code: 'invalid_key' }
      await expect(storage().items.setItem(key, 'x'), key).rejects.toMatchObject(refusal)
      await expect(storage().items.getItem(key), key).rejects.toMatchObject(refusal)
      await expect(storage().setItemIfAbsent(key, 'x'), key).rejects.toMatchObject(refusal)
    }
    expect(await storage().items.getItem('alice')).toBeNull()
  })

  test('rejects a value that would come back as another', async () => {
    const key = itemKey(newBase(), 'a')
    for (const value of ['\ud800', 1, { a: 1 }, null, undefined] as string[]) {
      const refusal = { name: 'StorageError', code: 'invalid_value' }
      await expect(storage().items.setItem(key, value)).rejects.toMatchObject(refusal)
      await expect(storage().setItemIfAbsent(key, value)).rejects.toMatchObject(refusal)
    }
    expect(await storage().items.getItem(key)).toBeNull()
  })

  test('lets exactly one of many concurrent callers set an absent item', async () => {
    const key = itemKey(newBase(), 'name')
    const results = await Promise.all(Array.from({ length: 64 }, (_, i) => storage().setItemIfAbsent(key, `${i}`)))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await storage().items.getItem(key)).toBe(String(results.indexOf(true)))
    await storage().items.removeItem(key)
    expect(await storage().setItemIfAbsent(key, 'again')).toBe(true)
  })

  test('removes an item only while it has the expected value', async () => {
    const key = itemKey(newBase(), 'name')
    await storage().items.setItem(key, '1')
    expect(await storage().removeItemIf(key, '01')).toBe(false)
    expect(await storage().items.getItem(key)).toBe('1')
    const results = await Promise.all(Array.from({ length: 8 }, () => storage().removeItemIf(key, '1')))
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await storage().items.getItem(key)).toBeNull()
    expect(await storage().removeItemIf(key, '1')).toBe(false)
  })

  test('replaces an item only while it has the expected value, and once for many callers', async () => {
    const key = `${newBase()}a`
    expect(await storage().replaceItemIf(key, '', 'new')).toBe(false)
    expect(await storage().items.getItem(key)).toBeNull()
    await storage().items.setItem(key, 'one')
    expect(await storage().replaceItemIf(key, 'other', 'two')).toBe(false)
    const calls = Array.from({ length: 16 }, (_, i) => storage().replaceItemIf(key, 'one', `two-${i}`))
    const winners = (await Promise.all(calls)).flatMap((replaced, i) => (replaced ? [`two-${i}`] : []))
    expect(winners).toHaveLength(1)
    expect(await storage().items.getItem(key)).toBe(winners[0])
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

  test('lists the items after a key that was removed', async () => {
    const base = newBase()
    for (const name of ['a', 'b', 'c']) await storage().items.setItem(itemKey(base, name), name)
    await storage().items.removeItem(itemKey(base, 'b'))
    const page = await storage().listItems({ base, after: itemKey(base, 'b'), limit: 9 })
    expect(page.items.map((item) => item.value)).toEqual(['c'])
  })

  test('lists only items under the base', async () => {
    const base = newBase()
    const stem = base.slice(0, -1)
    for (const key of [stem, `${stem}-x:a`, `${stem}:a`, `${stem}:a:b`, `${stem}a:a`]) {
      await storage().items.setItem(key, key)
    }
    const page = await storage().listItems({ base, limit: 9 })
    expect(page.items.map((item) => item.key)).toEqual([`${stem}:a`, `${stem}:a:b`])
    expect((await storage().items.getKeys(base)).sort()).toEqual([`${stem}:a`, `${stem}:a:b`])
  })

  test('finds exactly the names that contain a piece of text, also over pages', async () => {
    const base = newBase()
    const names = ['a.b', 'a2b', 'xaab', 'co', 'b', 'c.o', 'test']
    for (const name of names) await storage().items.setItem(itemKey(base, name), name)
    const find = async (text: string) =>
      (await storage().listItems({ base, contains: encodeKeyPart(text), limit: 9 })).items.map((item) => item.value)
    expect(await find('.')).toEqual(expect.arrayContaining(['a.b', 'c.o']))
    expect(await find('.')).toHaveLength(2)
    expect(await find('aa')).toEqual(['xaab'])
    expect(await find('co')).toEqual(['co'])
    expect(await find('test')).toEqual(['test'])
    expect(await find('2')).toEqual(['a2b'])
    expect(await find('zzz')).toEqual([])

    const first = await storage().listItems({ base, contains: 'b', limit: 2 })
    const second = await storage().listItems({ base, contains: 'b', limit: 2, after: first.next ?? '' })
    expect([...first.items, ...second.items].map((item) => item.value).sort()).toEqual(['a.b', 'a2b', 'b', 'xaab'])
    expect(second.next).toBeUndefined()
  })

  test('rejects a listing without a base or a limit', async () => {
    for (const range of [
      { base: '', limit: 1 },
      { base: 'user', limit: 1 },
      { base: 'user:', limit: 0 },
    ]) {
      await expect(storage().listItems(range)).rejects.toMatchObject({ code: 'invalid_key' })
    }
  })
}
