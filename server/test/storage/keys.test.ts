import { decodeItemKey, decodeKeyPart, encodeKeyPart, itemKey } from '@fish-crab/server/storage'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })

test('every text can be encoded and decoded, and the encoding has only letters, digits, "_", "-" and "%"', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string()), (text) => {
      const part = encodeKeyPart(text)
      expect(part).toMatch(/^[A-Pa-z0-9_%-]*$/)
      expect(decodeKeyPart(part)).toBe(text)
    }),
  )
})

test('one encoding contains another encoding if and only if the first text contains the second text', () => {
  const fewLetters = fc.string({ unit: fc.constantFrom('a', 'c', 'o', '2', 'e', '.', 'A', 'C', '%', 'é') })
  fc.assert(
    fc.property(fewLetters, fewLetters, (text, piece) => {
      expect(encodeKeyPart(text).includes(encodeKeyPart(piece))).toBe(text.includes(piece))
    }),
  )
})

test('keys with different parts differ, even if the parts are equal after joining', () => {
  const parts = [['a', 'b'], ['a:b'], ['a%AADKb'], ['A', 'b'], ['a/b'], ['a?b'], ['a.b'], ['a', 'b$']]
  expect(new Set(parts.map((part) => itemKey('user', ...part))).size).toBe(parts.length)
  expect(itemKey('user:', 'a')).toBe('user:a')
})

test('the last part of a key can be decoded', () => {
  expect(decodeItemKey(itemKey('user', 'x', 'Älice?x'))).toBe('Älice?x')
})

test('an empty part, a base that contains raw text and an unencoded part are refused', () => {
  const refusal = expect.objectContaining({ name: 'StorageError', code: 'invalid_key' })
  expect(() => itemKey('user', '')).toThrow(refusal)
  for (const base of ['', 'User', 'a b', 'a::b', ':a', 'a?']) expect(() => itemKey(base, 'x')).toThrow(refusal)
  for (const part of ['A', '%', '%aaco', '%AAC', 'a.b', '%AAZZ']) expect(() => decodeKeyPart(part)).toThrow(refusal)
})
