import { usageError } from '../core/errors.ts'

const NINE_DIGITS = 999_999_999

/**
 * What was typed for a flag, as a whole number.
 *
 * @param most Told to who typed more. @default no more than nine digits, which nobody is told
 * @throws CliError `usage`
 * @example wholeNumber('--port', '8787', 0, 65_535) // 8787
 */
export function wholeNumber(flag: string, text: string, least: number, most?: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= (most ?? NINE_DIGITS)) return value
  throw usageError(`${flag} must be a whole number from ${least}${most === undefined ? '' : ` to ${most}`}.`)
}
