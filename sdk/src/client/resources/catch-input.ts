import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CATCH_NAME_PATTERN } from '../../contract/names.ts'
import { RARITIES, RARITY_LABELS, type RarityLabel, type RarityValue, rarityValue } from '../../contract/rarities.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { startsWithDate } from '../../internal/calendar.ts'

/** A fish to add. */
export interface FishInput {
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** Number (1 to 7) or label in any letter case. */
  readonly rarity: RarityValue | RarityLabel | Lowercase<RarityLabel>
  /** Time of the catch: a Date, or ISO 8601 text with time and zone. @default the time of encryption */
  readonly caughtAt?: Date | string | undefined
}

/** A crab to add. */
export interface CrabInput {
  /** 1 to 100 characters, no control characters. @default 'crab' */
  readonly name?: string | undefined
  /** Time of the catch: a Date, or ISO 8601 text with time and zone. @default the time of encryption */
  readonly caughtAt?: Date | string | undefined
}

/**
 * An entry requested with `detail: 'full'`, which has the id of its record, its index in the record, and the time of the
 * catch.
 */
export type DetailedEntry<Entry extends { readonly id?: string | undefined; readonly caughtAt?: string | undefined }> =
  Entry & {
    readonly id: string
    readonly entry: number
    readonly caughtAt: string
  }

/** An entry in the format of the service; JSON omits fields that are `undefined`. */
export interface PayloadEntry {
  /** 1 to 100 characters. A crab may omit it. */
  readonly name?: string | undefined
  /** Required for fish. */
  readonly rarity?: RarityValue | undefined
  /** ISO 8601 with a time zone. */
  readonly caughtAt?: string | undefined
}

const DATE_TIME_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/i

/** Converts entries to the format of the service, and adds an issue for each invalid value to `issues`. */
export function parseEntries(entries: readonly (FishInput | CrabInput)[], kind: Kind, issues: Issue[]): PayloadEntry[] {
  if (entries.length < 1 || entries.length > LIMITS.entriesPerWrite) {
    const message = `Pass 1 to ${LIMITS.entriesPerWrite} entries per call, not ${entries.length}.`
    issues.push({ path: kind, message })
    return []
  }
  return entries.map((entry, index) => {
    if (typeof entry !== 'object' || entry === null) {
      issues.push({ path: `${kind}.${index}`, message: 'Must be an object with a name.' })
      return {}
    }
    const report = (field: string, message: string) => issues.push({ path: `${kind}.${index}.${field}`, message })
    const rarity = kind === 'fish' ? parseRarity(entry, report) : undefined
    if (kind === 'crab' && 'rarity' in entry && entry.rarity !== undefined) {
      report('rarity', 'A crab has no rarity. Leave it out, or add a fish.')
    }
    const caughtAt = parseDateTime(entry.caughtAt, report)
    const nameIsOptional = kind === 'crab' && entry.name === undefined
    if (!nameIsOptional && !(typeof entry.name === 'string' && CATCH_NAME_PATTERN.test(entry.name))) {
      report('name', 'Must be 1 to 100 characters with no control characters.')
    }
    return { name: entry.name, rarity, caughtAt }
  })
}

type Report = (field: string, message: string) => void

function parseRarity(entry: FishInput | CrabInput, report: Report): RarityValue | undefined {
  const given = 'rarity' in entry ? entry.rarity : undefined
  const value = given === undefined ? undefined : rarityValue(given)
  if (value === undefined) report('rarity', `Must be 1 to ${RARITIES.length} or one of ${RARITY_LABELS.join(', ')}.`)
  return value
}

function parseDateTime(given: Date | string | undefined, report: Report): string | undefined {
  if (given === undefined) return undefined
  const isDate = given instanceof Date
  const date = isDate || (DATE_TIME_WITH_ZONE.test(given) && startsWithDate(given)) ? new Date(given) : undefined
  // The service rejects years outside 0 to 9999, which toISOString writes with a sign and six digits.
  const text = date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined
  if (text && /^\d{4}-/.test(text)) return text
  report('caughtAt', 'Must be a Date, or an existing date in ISO 8601 with time and zone such as 2026-01-31T12:00:00Z.')
  return undefined
}

/** Checks the index of an entry in its record. */
export function entryIssue(value: unknown): Issue | undefined {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) return undefined
  return { path: 'entry', message: 'Must be the index of an entry, as in a list with details.' }
}
