import { startsWithDate } from '../../../../sdk/src/internal/calendar.ts'
import { usageError } from '../../core/errors.ts'

export const EXAMPLE_ZONE = 'Europe/Berlin'

export const NO_ZONE = Symbol('a local time without a zone')

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

export function parseTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw usageError('Unknown time zone.', `Set --timezone to a name such as ${EXAMPLE_ZONE} or UTC.`)
  }
}

/**
 * Converts Unix seconds, Unix milliseconds or a date to ISO 8601. Other values stay unchanged, so that validation
 * rejects them.
 */
export function parseTime(value: unknown, timeZone: string | undefined): unknown {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return value
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000).toISOString()
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString()
  const [, date, time = '00:00', zone] = DATE_TIME.exec(text.trim()) ?? []
  if (date === undefined || !startsWithDate(date)) return value
  if (zone !== undefined) return `${date}T${time}${zone}`
  if (timeZone === undefined) return NO_ZONE
  const asUtc = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(asUtc) ? value : new Date(localToUtc(asUtc, timeZone)).toISOString()
}

/** If clocks show a local time twice, returns the earlier of the two times in UTC. */
function localToUtc(local: number, timeZone: string): number {
  const before = local - offsetAt(local - DAY_MS, timeZone)
  const after = local - offsetAt(local + DAY_MS, timeZone)
  // If clocks skip a local time, the time is converted with the UTC offset before the clock change.
  return [before, after].find((at) => at + offsetAt(at, timeZone) === local) ?? before
}

const DAY_MS = 86_400_000

function offsetAt(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
