import { StorageError } from './errors.ts'

// Each escaped UTF-16 unit becomes `%` and four of these letters. No other character of a part is a capital letter, so
// a search for an encoded text never matches the inside of an escape.
const DIGITS = 'ABCDEFGHIJKLMNOP'
const PLAIN_PART = /^(?:[a-z0-9_-]|%[A-P]{4})*$/
const BASE = /^[a-z0-9_-]+(?::[a-z0-9_-]+)*:?$/
/**
 * The form of a key from {@link itemKey}. unstorage would change any other key: unstorage drops empty parts and
 * everything after a `?`, and reads `/` as `:`.
 */
const ITEM_KEY = /^[\w%-]+(?::[\w%-]+)*$/

/**
 * Encodes any text for use in a key. The characters `[a-z0-9_-]` stay. Every other UTF-16 unit becomes `%` and its four
 * hexadecimal digits, written as `A` (0) to `P` (15). Different texts have different encodings. The encoding of a part
 * of a text is a part of the encoding of that text, so `ItemRange.contains` is exact.
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
 * @throws {StorageError} `invalid_key` if the part is not a result of {@link encodeKeyPart}
 */
export function decodeKeyPart(part: string): string {
  if (!PLAIN_PART.test(part)) throw new StorageError('invalid_key', 'This is not an encoded part of an item key.')
  return part.replace(/%(....)/g, (_, letters: string) => {
    const code = [...letters].reduce((sum, letter) => sum * 16 + DIGITS.indexOf(letter), 0)
    return String.fromCharCode(code)
  })
}

/**
 * Builds the key of an item: a fixed base and any texts, joined by `:`. Each text is encoded by {@link encodeKeyPart}.
 * No part may be empty, because unstorage would drop it.
 *
 * @throws {StorageError} `invalid_key` for an empty part, or a base other than words of `a-z`, `0-9`, `_` and `-`,
 * joined by `:`
 * @example
 * itemKey('user', 'alice?x') // 'user:alice%AADPx'
 */
export function itemKey(base: string, ...parts: readonly string[]): string {
  if (!BASE.test(base) || parts.includes('')) {
    throw new StorageError('invalid_key', 'An item key needs a base of lower-case words and parts that are not empty.')
  }
  let key = base.endsWith(':') ? base.slice(0, -1) : base
  for (const part of parts) key += `:${encodeKeyPart(part)}`
  return key
}

/**
 * Decodes the last part of an item key.
 *
 * @throws {StorageError} `invalid_key` if that part is not a result of {@link encodeKeyPart}
 * @example
 * decodeItemKey('user:alice%AADPx') // 'alice?x'
 */
export function decodeItemKey(key: string): string {
  return decodeKeyPart(key.slice(key.lastIndexOf(':') + 1))
}

/** Returns the key, or throws `invalid_key` if unstorage would change the key into that of another item. */
export function checkItemKey(key: string): string {
  if (ITEM_KEY.test(key)) return key
  throw new StorageError('invalid_key', 'An item key must not contain raw text. Build it with itemKey().')
}

/** The key of the item that contains the id of the store. */
export const STORE_KEY = itemKey('setting', 'store')
