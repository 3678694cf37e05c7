import { RARITIES, type RarityValue, rarityValue } from '@fish-crab/sdk/constants'
import { usageError } from './errors.ts'
import { parseTime } from './time.ts'

/** @param most The maximum, which the error message contains @default 999,999,999, which the error message omits */
export function parseWholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= (most ?? 999_999_999)) return value
  throw usageError(`${flag} must be a whole number from ${least}${most === undefined ? '' : ` to ${most}`}.`)
}

/** Whether a text is an http or https address without credentials, query and fragment. */
export function isServiceUrl(text: string): boolean {
  const { protocol = '', username, password, search, hash } = URL.parse(text) ?? {}
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}

/** Whether two addresses name the same service. */
export function isSameService(one: string, other: string): boolean {
  return serviceOf(one) === serviceOf(other)
}

/** Returns the address without a slash at its end. */
export function serviceOf(url: string): string {
  const { origin = url, pathname = '' } = URL.parse(url) ?? {}
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
}

export function parseServiceUrl(text: string): string {
  if (isServiceUrl(text)) return text
  throw usageError('URL (FISH_URL) must be an address such as http://127.0.0.1:8787.')
}

/** Parses an origin in the form that browsers send. */
export function parseOrigin(flag: string, text: string): string {
  if (URL.parse(text)?.origin === text) return text
  throw usageError(`${flag} must be an origin such as https://example.org.`)
}

export function parseChoice<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase())
  if (choice !== undefined) return choice
  throw usageError(`${flag} must be one of ${choices.join(', ')}.`)
}

export function parseRarity(text: string): RarityValue | undefined {
  return rarityValue(/^\d+$/.test(text) ? Number(text) : text.trim())
}

/** Returns `undefined` if the text is not JSON. Errors of `JSON.parse` quote the text, which may be a secret. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function rarityList(): string {
  return RARITIES.map(({ value, label }) => `${value} ${label}`).join(', ')
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Returns milliseconds since 1970.
 * @param flag The flag that an error message names
 */
export function parseMoment(text: string, now: number, flag: string): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const moment = amount === undefined ? parseTime(text) : now - Number(amount) * (UNIT_MS[unit] ?? 0)
  if (!Number.isNaN(moment)) return moment
  throw usageError(
    `${flag} must be a local date or time, or a time span such as 7d.`,
    'For example: 2026-01-31, 2026-01-31T12:00, 2026-01-31T12:00Z, 90m, 7d',
  )
}
