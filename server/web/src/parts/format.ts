import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** The language of the pages. */
const LANGUAGE = 'en-GB'

const numbers = new Intl.NumberFormat(LANGUAGE)
const compactNumbers = new Intl.NumberFormat(LANGUAGE, { notation: 'compact' })

export const formatNumber = (value: number) => numbers.format(value)
/**
 * Browsers differ in the case of the letter.
 * @example formatCompact(1200) // '1.2k'
 */
export const formatCompact = (value: number) => compactNumbers.format(value).toLowerCase()

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const
const MINUTES = { minute: '2-digit' } as const

/** Readers keep their 12 or 24 hours, although the page is in another language. */
function hoursIn(timeZone: string | undefined): Intl.DateTimeFormatOptions {
  const hourCycle =
    timeZone === undefined ? new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hourCycle : 'h23'
  return { hourCycle, hour: hourCycle === 'h12' ? 'numeric' : '2-digit' }
}

/** Formats of times in a time zone. Each method takes an ISO 8601 time or Unix milliseconds. */
export type Formats = ReturnType<typeof formatsIn>

function formatsIn(timeZone: string | undefined) {
  // Most pages use few of the formats, and each takes a moment to create.
  const format = (options: Intl.DateTimeFormatOptions) => {
    let created: Intl.DateTimeFormat | undefined
    return (time: number | string) => {
      created ??= new Intl.DateTimeFormat(LANGUAGE, { ...options, timeZone, ...(options.minute && hoursIn(timeZone)) })
      return created.format(new Date(time))
    }
  }
  return {
    date: format(DATE),
    /** The date and time, short. */
    dateTime: format({ ...DATE, ...MINUTES }),
    /** The date and time with the weekday. */
    moment: format({ ...DATE, weekday: 'long', month: 'long', ...MINUTES }),
    /** The time of day. */
    time: format({ ...MINUTES, second: '2-digit' }),
    month: format({ month: 'long', year: 'numeric' }),
    /** The day without the year. */
    day: format({ day: 'numeric', month: 'short' }),
    /** The month and year, short. */
    shortMonth: format({ month: 'short', year: 'numeric' }),
  }
}

/** The zone and the hours of the reader. */
export const LOCAL = formatsIn(undefined)
/** The server does not know the zone of the reader. */
export const UTC = formatsIn('UTC')

export const { date: formatDate, dateTime: formatDateTime, time: formatTime } = LOCAL

/** The formats of a page: `UTC` while the page is as the server drew it, then those of the reader's zone. */
export const FormatsContext = createContext<Formats>(LOCAL)
export const useFormats = () => useContext(FormatsContext)

/** @example plural(2, 'crab') // '2 crabs' */
export function plural(count: number, singular: string, many = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : many}`
}

/** @example formatDuration(130_000) // '2:10' */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
