import { HEADERS } from '@fish-crab/sdk/contract'

/** What stands where a secret was. */
const REDACTED = '[redacted]'

const SECRET_HEADERS: ReadonlySet<string> = new Set([HEADERS.apiKey, 'authorization', 'proxy-authorization', 'cookie'])

/** A shorter secret stands in words that have nothing to do with it: it is one only where nothing else is. */
const SHORTEST_WITHIN_TEXT = 6

/**
 * Secrets that no seed knows, by their look: sessions (RFC 7519) and tokens (Fernet specification: a version of 0x80, a
 * timestamp that begins with zeros, and 73 bytes at the least).
 */
const MADE_SECRETS = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|gAAAA[\w-]{90,}(?:={1,2}|(?:%3[Dd]){1,2})?/g

/** Blanks secrets out of what a journal keeps. */
export interface Redactor {
  headers(headers: Headers): Record<string, string>
  /** Blanks out what are secrets of the world, wherever they were put by mistake. */
  text(text: string): string
  query(query: URLSearchParams): Record<string, string>
  /** The same value, with secrets blanked out of all its texts. */
  value<Value>(value: Value): Value
}

/**
 * Makes the redactor of a world with these secrets.
 * @param words which everybody may read, such as the names of users, also where they serve as passwords
 */
export function createRedactor(secrets: readonly string[], words: ReadonlySet<string>): Redactor {
  const wanted = new Set(
    secrets
      .filter((secret) => secret !== '' && !words.has(secret))
      .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  )
  // The longest first: one secret may be a part of another.
  const withinText = [...wanted]
    .filter(({ length }) => length >= SHORTEST_WITHIN_TEXT)
    .sort((one, other) => other.length - one.length)

  function text(value: string): string {
    if (wanted.has(value)) return REDACTED
    return withinText
      .reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, REDACTED) : rest), value)
      .replace(MADE_SECRETS, REDACTED)
  }

  function deep(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(deep)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), deep(one)]))
  }

  return {
    text,
    headers(headers) {
      const kept: Record<string, string> = {}
      for (const [name, value] of headers) kept[name] = SECRET_HEADERS.has(name) ? REDACTED : text(value)
      return kept
    },
    query(query) {
      const kept: Record<string, string> = {}
      for (const [name, value] of query) kept[text(name)] = text(value)
      return kept
    },
    value: <Value>(value: Value) => deep(value) as Value,
  }
}
