import { type RarityValue, rarityValue } from '@fish-crab/sdk/constants'
import { usageError } from './errors.ts'

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
