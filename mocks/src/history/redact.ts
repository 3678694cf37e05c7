import { HEADERS } from '@fish-crab/sdk/contract'

const REDACTED = '[redacted]'

const SECRET_HEADERS: ReadonlySet<string> = new Set([HEADERS.apiKey, 'authorization', 'proxy-authorization', 'cookie'])

/** Shorter secrets are redacted only as whole values, because within text they would match unrelated words. */
const MIN_LENGTH_WITHIN_TEXT = 6

/**
 * Secrets that are not in the seed: sessions (RFC 7519) and tokens (Fernet specification: version 0x80, a timestamp
 * that begins with zeros, at least 73 bytes).
 */
const GENERATED_SECRETS = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|gAAAA[\w-]{90,}(?:={1,2}|(?:%3[Dd]){1,2})?/g

export type Redactor = ReturnType<typeof createRedactor>

/** Creates a redactor. The public `words`, such as user names, are never redacted, even if they are also passwords. */
export function createRedactor(secrets: readonly string[], words: ReadonlySet<string>) {
  const variants = new Set(
    secrets
      .filter((secret) => secret !== '' && !words.has(secret))
      .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  )
  // Longest first, since one secret may be part of another.
  const withinText = [...variants]
    .filter(({ length }) => length >= MIN_LENGTH_WITHIN_TEXT)
    .sort((one, other) => other.length - one.length)

  function text(value: string): string {
    if (variants.has(value)) return REDACTED
    return withinText
      .reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, REDACTED) : rest), value)
      .replace(GENERATED_SECRETS, REDACTED)
  }

  function deep(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(deep)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), deep(one)]))
  }

  return {
    text,
    headers: (headers: Headers): Record<string, string> =>
      Object.fromEntries(
        [...headers].map(([name, value]) => [name, SECRET_HEADERS.has(name) ? REDACTED : text(value)]),
      ),
    query: (query: URLSearchParams): Record<string, string> =>
      Object.fromEntries([...query].map(([name, value]) => [text(name), text(value)])),
    /** A copy of the value with all strings and keys redacted. */
    value: <Value>(value: Value) => deep(value) as Value,
  }
}
