import { describe, expect, test } from 'vitest'
import { type Change, cutPower } from '../prove/faults.ts'

const change = (kind: Change['kind'], text = '', rest: Partial<Change> = {}): Change => ({
  at: 1,
  kind,
  name: 'a',
  offset: 0,
  length: text.length,
  bytes: Buffer.from(text),
  ...rest,
})
const dropAll = () => 0
const keepAll = () => 0.9
const textOf = (changes: readonly Change[], random: () => number, until = 10) =>
  cutPower(changes, until, random).get('a')?.toString()

describe('a simulated power cut', () => {
  test('keeps flushed writes, and keeps unflushed writes only by chance', () => {
    const changes = [change('write', 'one'), change('flush'), change('write', 'two', { offset: 3 })]
    expect(textOf(changes, dropAll)).toBe('one')
    expect(textOf(changes, keepAll)).toBe('onetwo')
  })

  test('cuts an unflushed write at a sector boundary', () => {
    const bytes = 'x'.repeat(2000)
    const random = [0.9, 0.1, 0.6]
    expect(textOf([change('write', bytes)], () => random.shift() ?? 0)).toHaveLength(1024)
  })

  test('ignores changes and flushes after the cut', () => {
    expect(textOf([change('write', 'one'), change('flush'), change('write', 'two', { at: 5 })], keepAll, 3)).toBe('one')
    expect(textOf([change('write', 'one', { at: 2 }), change('flush', '', { at: 4 })], dropAll, 3)).toBeUndefined()
  })

  test('undoes a rename if the folder was not flushed', () => {
    const made = [change('write', 'new', { name: 'temp' }), change('flush', '', { name: 'temp' })]
    const renamed = [...made, change('rename', 'a', { name: 'temp' })]
    expect(textOf(renamed, dropAll)).toBeUndefined()
    expect(textOf([...renamed, change('flush', '', { name: '' })], dropAll)).toBe('new')
  })

  test('applies a truncation, and fills the gap before a later write with zeros', () => {
    const changes = [
      change('write', 'abcdef'),
      change('truncate', '', { length: 2 }),
      change('write', 'z', { offset: 4 }),
    ]
    expect(textOf([...changes, change('flush')], dropAll)).toBe('ab\0\0z')
  })
})
