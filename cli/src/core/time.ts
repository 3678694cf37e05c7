import type { Clock } from '@fish-crab/sdk'
import { startsWithDate } from '../../../sdk/src/internal/calendar.ts'
import { sleep } from '../../../sdk/src/internal/wait.ts'
import type { System } from './system.ts'

/**
 * Converts a time, date or month to milliseconds since 1970. A time without a zone is local. Returns `NaN` for any
 * other text.
 */
export function parseTime(text: string): number {
  const [date] = /^\d{4}-\d\d(-\d\d)?(?![-\d])/.exec(text) ?? []
  if (date === undefined || !startsWithDate(date)) return Number.NaN
  // Date.parse would read a date without a time as UTC.
  return Date.parse(date === text ? `${date}T00:00` : text)
}

export function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8)
}

/** Formats a time in the local time zone. Invalid times are returned unchanged. */
export function localTime(at: string | Date): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return String(at)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day} ${timeOfDay(date.getTime())}`
}

/** @example duration(754_000) // '12:34' */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`
  return seconds < 60 ? `${seconds} s` : `${minutes}:${two(rest)}`
}

const SYSTEM_CLOCK: Clock = { now: () => Date.now(), sleep }

export function clockOf({ clock = SYSTEM_CLOCK }: Pick<System, 'clock'>): Clock {
  return clock
}
