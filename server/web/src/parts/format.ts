const numbers = new Intl.NumberFormat()
const compactNumbers = new Intl.NumberFormat(undefined, { notation: 'compact' })
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const dateTimes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const times = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const months = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const shortMonths = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' })

export const formatNumber = (value: number) => numbers.format(value)
/** @example formatCompact(12_000) // '12K' */
export const formatCompact = (value: number) => compactNumbers.format(value)
/** The local date. */
export const formatDate = (time: number | string) => dates.format(new Date(time))
/** The local date and time, short. */
export const formatDateTime = (time: number | string) => dateTimes.format(new Date(time))
/** The local date and time with the weekday. */
export const formatMoment = (time: number | string) => moments.format(new Date(time))
/** The local time of day. */
export const formatTime = (time: number) => times.format(time)
export const formatMonth = (time: number) => months.format(time)
/** The local day without the year. */
export const formatDay = (time: number) => days.format(time)
/** The local month and year, short. */
export const formatShortMonth = (time: number) => shortMonths.format(time)

/** @example plural(2, 'crab') // '2 crabs' */
export function plural(count: number, singular: string, many = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : many}`
}

/** @example formatDuration(130_000) // '2:10' */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
