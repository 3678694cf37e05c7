import { usageError } from '../core/errors.ts'

const NINE_DIGITS = 999_999_999

/**
 * What was typed for a flag, as a whole number.
 *
 * @param most Told to who typed more. @default no more than nine digits, which nobody is told
 * @throws CliError `usage`
 * @example wholeNumber('--port', '8787', 0, 65_535) // 8787
 */
export function parseWholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= (most ?? NINE_DIGITS)) return value
  throw usageError(`${flag} must be a whole number from ${least}${most === undefined ? '' : ` to ${most}`}.`)
}

/** The address of a service that is to be checked. @throws CliError when it is none, or holds more than one */
export function parseServiceUrl(text: string): string {
  const { protocol, username, search, hash } = URL.parse(text) ?? {}
  const isAddress = protocol === 'http:' || protocol === 'https:'
  if (isAddress && username === '' && search === '' && hash === '') return text
  throw usageError('URL (FISH_URL) must be an address such as http://127.0.0.1:8787.')
}

/** An origin, as a browser names it. @throws CliError that names the flag */
export function parseOrigin(flag: string, text: string): string {
  if (URL.parse(text)?.origin === text) return text
  throw usageError(`${flag} must be an origin such as https://example.org.`)
}
