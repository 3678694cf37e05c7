import { GAMEMODE_RULE, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CATCH_NAME_PATTERN, isUserName, USER_NAME_RULE } from '../../contract/names.ts'
import { RARITIES, RARITY_LABELS, type RarityLabel, type RarityValue, rarityValue } from '../../contract/rarities.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { startsWithDate } from '../../internal/calendar.ts'
import type { KnownGamemodes } from '../core/known-gamemodes.ts'

/** A fish to add. */
export interface FishInput {
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** Number (1 to 7) or label in any letter case. */
  readonly rarity: RarityValue | RarityLabel | Lowercase<RarityLabel>
  /** When it was caught: a Date, or ISO 8601 text with time and zone. @default the time of encryption */
  readonly caughtAt?: Date | string | undefined
}

/** A crab to add. */
export interface CrabInput {
  /** 1 to 100 characters, no control characters. @default 'crab' */
  readonly name?: string | undefined
  /** When it was caught: a Date, or ISO 8601 text with time and zone. @default the time of encryption */
  readonly caughtAt?: Date | string | undefined
}

/** An entry in the format of the service; JSON leaves out what is `undefined`. */
export interface PayloadEntry {
  readonly name?: string | undefined
  readonly rarity?: RarityValue | undefined
  readonly caughtAt?: string | undefined
}

const DATE_TIME_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/i

/** Converts entries to the format of the service, and adds mistakes to `issues`. */
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

/** The collection of a call. */
export interface Target {
  /** @default the client's `user` */
  readonly user?: string | undefined
  /**
   * One of the service's: those that its status listed in the last 5 minutes, if the client has asked for it; else the
   * service itself refuses others. @default the client's `gamemode`
   */
  readonly gamemode?: Gamemode | undefined
}

/** The names of the options that name a collection. */
export const TARGET: OptionNames<Target> = { user: true, gamemode: true }

/** The collection of a call, by its options or those of the client. Adds mistakes to `issues`. */
export function resolveTarget(
  call: Target,
  client: Target & { readonly knownGamemodes?: KnownGamemodes | undefined },
  issues: Issue[],
): { user: string; gamemode: Gamemode } {
  const user = call.user ?? client.user
  const gamemode = call.gamemode ?? client.gamemode
  if (user === undefined) {
    issues.push({ path: 'user', message: 'Missing. Pass user to the call or to createClient.' })
  } else if (!isUserName(user)) {
    const message = `Must be ${USER_NAME_RULE}.`
    issues.push({ path: 'user', message })
  }
  if (gamemode === undefined) {
    issues.push({ path: 'gamemode', message: 'Missing. Pass gamemode to the call or to createClient.' })
  } else {
    const wrong = gamemodeIssue(gamemode, 'gamemode', client.knownGamemodes)
    if (wrong) issues.push(wrong)
  }
  return { user: user ?? '', gamemode: gamemode ?? '' }
}

// Each check returns the mistake in a value, if there is one. Messages contain no values: one may be a secret.

export function gamemodeIssue(value: unknown, path = 'gamemode', known?: KnownGamemodes): Issue | undefined {
  const gamemodes: readonly unknown[] | undefined = known?.list()
  if (gamemodes?.includes(value) ?? isGamemode(value)) return undefined
  return { path, message: `Must be ${gamemodes?.join(' or ') ?? GAMEMODE_RULE}.` }
}

export function limitIssue(value: unknown, largest: number = LIMITS.pageSize): Issue | undefined {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest))
    return undefined
  return { path: 'limit', message: `Must be a whole number from 1 to ${largest}.` }
}

export function idIssue(value: unknown): Issue | undefined {
  if (typeof value === 'string' && value !== '' && !isDots(value)) return undefined
  return { path: 'id', message: 'Must be the id of a record, as in a list.' }
}

/** An address with such a part is another address (RFC 3986, 5.2.4). */
export function isDots(text: string): boolean {
  return text === '.' || text === '..'
}
