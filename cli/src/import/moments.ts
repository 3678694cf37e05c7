import { usageError } from '../core/cli-error.ts'

/** A time zone by its name in the IANA database. */
export const EXAMPLE_ZONE = 'Europe/Berlin'

/** Stands for a local time that nobody gave a zone. */
export const NO_ZONE = Symbol('a local time without a zone')

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/** @throws CliError `usage` when the platform knows no such zone */
export function readTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw usageError('There is no such time zone.', `Give --timezone a name such as ${EXAMPLE_ZONE} or UTC.`)
  }
}

/**
 * When a catch was made, as ISO 8601: from unix seconds or milliseconds, from a date with or without a time, with `T` or
 * space between, in its own zone or the one given for all. Anything else is left as it is, to be refused as any wrong
 * value.
 */
export function momentOf(value: unknown, timeZone: string | undefined): unknown {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return value
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000).toISOString()
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString()
  const [, date, time = '00:00', zone] = DATE_TIME.exec(text.trim()) ?? []
  if (date === undefined) return value
  if (zone !== undefined) return `${date}T${time}${zone}`
  if (timeZone === undefined) return NO_ZONE
  const asUtc = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(asUtc) ? value : new Date(utcOf(asUtc, timeZone)).toISOString()
}

/** The moment at which clocks of a zone show a time: the earlier one where they show it twice. */
function utcOf(shown: number, timeZone: string): number {
  const before = shown - offsetAt(shown - DAY_MS, timeZone)
  // Where no clock ever shows it, the offset before the jump counts.
  return (
    [before, shown - offsetAt(shown + DAY_MS, timeZone)].find((at) => at + offsetAt(at, timeZone) === shown) ?? before
  )
}

const DAY_MS = 86_400_000

/** What clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
