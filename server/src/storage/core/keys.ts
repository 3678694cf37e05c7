import { StorageError } from './errors.ts'

// Each UTF-16 unit is encoded as four of these letters. A part has no other capitals, so a search for an encoded piece
// of text never matches the inside of an escape or half a character.
const DIGITS = 'ABCDEFGHIJKLMNOP'
const PLAIN_PART = /^(?:[a-z0-9_-]|%[A-P]{4})*$/
const BASE = /^[a-z0-9_-]+(?::[a-z0-9_-]+)*:?$/
/**
 * The form of {@link itemKey}. unstorage would change other keys: it drops empty parts and everything after a `?`, and
 * reads `/` as `:`.
 */
const ITEM_KEY = /^[\w%-]+(?::[\w%-]+)*$/

/**
 * Encodes any text for use in a key: `[a-z0-9_-]` stays, every other UTF-16 unit becomes `%` and
 * four letters `A` to `P` (its hexadecimal digits, 0 as `A`). Different texts have different encodings, and the
 * encoding of a piece of a text is a piece of its encoding, so `ItemRange.contains` is exact.
 *
 * @example
 * encodeKeyPart('a.b') // 'a%AACOb'
 */
export function encodeKeyPart(text: string): string {
  return text.replace(/[^a-z0-9_-]/g, (unit) => {
    const code = unit.charCodeAt(0)
    return `%${[12, 8, 4, 0].map((shift) => DIGITS.charAt((code >> shift) & 15)).join('')}`
  })
}

/**
 * Decodes the result of {@link encodeKeyPart}.
 *
 * @throws {StorageError} `invalid_key` when the part is not such an encoding
 */
export function decodeKeyPart(part: string): string {
  if (!PLAIN_PART.test(part)) throw new StorageError('invalid_key', 'This is not an encoded part of an item key.')
  return part.replace(/%(....)/g, (_, letters: string) => {
    const code = [...letters].reduce((sum, letter) => sum * 16 + DIGITS.indexOf(letter), 0)
    return String.fromCharCode(code)
  })
}

/**
 * The key of an item: a fixed base and any texts, each encoded by {@link encodeKeyPart}, joined by `:`.
 * No part may be empty, because unstorage would drop it.
 *
 * @throws {StorageError} `invalid_key` for an empty part or a base that is not lower-case words joined by `:`
 * @example
 * itemKey('user', 'alice?x') // 'user:alice%AADPx'
 */
export function itemKey(base: string, ...parts: readonly string[]): string {
  if (!BASE.test(base) || parts.includes('')) {
    throw new StorageError('invalid_key', 'An item key needs a base of lower-case words and parts that are not empty.')
  }
  return [base.replace(/:$/, ''), ...parts.map(encodeKeyPart)].join(':')
}

/**
 * The last part of an item key, decoded.
 *
 * @throws {StorageError} `invalid_key` when it is not encoded
 * @example
 * decodeItemKey('user:alice%AADPx') // 'alice?x'
 */
export function decodeItemKey(key: string): string {
  return decodeKeyPart(key.slice(key.lastIndexOf(':') + 1))
}

/** Refuses a key that unstorage would change into the key of another item. */
export function checkItemKey(key: string): string {
  if (ITEM_KEY.test(key)) return key
  throw new StorageError('invalid_key', 'An item key must not contain raw text. Build it with itemKey().')
}

/** The item with the id of the store. */
export const STORE_KEY = itemKey('setting', 'store')
