import { HEADERS } from '@fish-crab/sdk/contract'

/** What stands where a secret was. */
const REDACTED = '[redacted]'

const SECRET_HEADERS: ReadonlySet<string> = new Set([HEADERS.apiKey, 'authorization', 'proxy-authorization', 'cookie'])

/** Blanks secrets out of what a journal keeps. */
export interface Redactor {
  headers(headers: Headers): Record<string, string>
  /** Blanks out values that are secrets of the world, wherever they were put by mistake. */
  text(text: string): string
  query(query: URLSearchParams): Record<string, string>
}

/** Makes the redactor of a world with these secrets. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const wanted = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, encodeURIComponent(secret)])
  const text = (value: string) =>
    wanted.reduce((result, secret) => (result.includes(secret) ? result.replaceAll(secret, REDACTED) : result), value)
  return {
    text,
    headers(headers) {
      const kept: Record<string, string> = {}
      for (const [name, value] of headers) kept[name] = SECRET_HEADERS.has(name) ? REDACTED : text(value)
      return kept
    },
    query(query) {
      const kept: Record<string, string> = {}
      for (const [name, value] of query) kept[name] = text(value)
      return kept
    },
  }
}
