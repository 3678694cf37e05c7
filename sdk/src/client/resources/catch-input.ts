import { GAMEMODES, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CATCH_NAME_PATTERN, isUserName, USER_NAME_RULE } from '../../contract/names.ts'
import { RARITIES, RARITY_LABELS, type RarityLabel, type RarityValue, rarityValue } from '../../contract/rarities.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'

/** A fish to add. */
export interface FishInput {
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** As number (1 to 7) or label; labels of any letter case are taken. */
  readonly rarity: RarityValue | RarityLabel | Lowercase<RarityLabel>
  /** When it was caught; as text in ISO 8601 with time and zone. @default the time the token is made */
  readonly caughtAt?: Date | string | undefined
}

/** A crab to add. */
export interface CrabInput {
  /** 1 to 100 characters, no control characters. @default 'crab' */
  readonly name?: string | undefined
  /** When it was caught; as text in ISO 8601 with time and zone. @default the time the token is made */
  readonly caughtAt?: Date | string | undefined
}

/** An entry as the service takes it. */
export interface PayloadEntry {
  readonly name?: string
  readonly rarity?: RarityValue
  readonly caughtAt?: string
}

const MOMENT_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/i

/** Brings entries into the service's form. What is wrong with them is added to `issues`, under paths below `path`. */
export function readEntries(entries: readonly (FishInput | CrabInput)[], kind: Kind, issues: Issue[]): PayloadEntry[] {
  if (entries.length < 1 || entries.length > LIMITS.entriesPerWrite) {
    const message = `Give 1 to ${LIMITS.entriesPerWrite} entries a call; these are ${entries.length}.`
    issues.push({ path: kind, message })
    return []
  }
  return entries.map((entry, index) => {
    if (typeof entry !== 'object' || entry === null) {
      issues.push({ path: `${kind}.${index}`, message: 'Must be an object with a name.' })
      return {}
    }
    const report = (field: string, message: string) => issues.push({ path: `${kind}.${index}.${field}`, message })
    const rarity = kind === 'fish' ? readRarity(entry, report) : undefined
    if (kind === 'crab' && 'rarity' in entry && entry.rarity !== undefined) {
      report('rarity', 'A crab has no rarity. Leave it out, or add a fish.')
    }
    const caughtAt = readMoment(entry.caughtAt, report)
    const nameIsOptional = kind === 'crab' && entry.name === undefined
    if (!nameIsOptional && !isCatchName(entry.name)) {
      report('name', 'Must be 1 to 100 characters with no control characters.')
    }
    return {
      ...(entry.name === undefined ? {} : { name: entry.name }),
      ...(rarity === undefined ? {} : { rarity }),
      ...(caughtAt === undefined ? {} : { caughtAt }),
    }
  })
}

type Report = (field: string, message: string) => void

function isCatchName(name: unknown): boolean {
  return typeof name === 'string' && CATCH_NAME_PATTERN.test(name)
}

function readRarity(entry: FishInput | CrabInput, report: Report): RarityValue | undefined {
  const given = 'rarity' in entry ? entry.rarity : undefined
  const value = given === undefined ? undefined : rarityValue(given)
  if (value === undefined) report('rarity', `Must be 1 to ${RARITIES.length} or one of ${RARITY_LABELS.join(', ')}.`)
  return value
}

function readMoment(given: Date | string | undefined, report: Report): string | undefined {
  if (given === undefined) return undefined
  const isDate = given instanceof Date
  const date = isDate || MOMENT_WITH_ZONE.test(given) ? new Date(given) : undefined
  // toISOString writes years outside 0 to 9999 with a sign and six digits, which the service does not take.
  const text = date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined
  if (text && /^\d{4}-/.test(text)) return text
  report('caughtAt', 'Must be a valid Date, or ISO 8601 text with time and zone such as 2026-01-31T12:00:00Z.')
  return undefined
}

/** Which collection a call is about. */
export interface Target {
  /** Whose. @default the client's `user` */
  readonly user?: string | undefined
  /** In which gamemode; other text than a gamemode's name is refused. @default the client's `gamemode` */
  readonly gamemode?: Gamemode | (string & {}) | undefined
}

/** The collection a call means, by itself or by the client's options. What is missing or wrong is added to `issues`. */
export function readTarget(call: Target, client: Target, issues: Issue[]): { user: string; gamemode: string } {
  const user = call.user ?? client.user
  const gamemode = call.gamemode ?? client.gamemode
  if (user === undefined) {
    issues.push({ path: 'user', message: 'Say whose collection: give the call or createClient the option user.' })
  } else if (!isUserName(user)) {
    const message = `Must be ${USER_NAME_RULE}: no user can have another name.`
    issues.push({ path: 'user', message })
  }
  if (gamemode === undefined) {
    const message = `Say which gamemode (${GAMEMODES.join(', ')}): give the call or createClient the option gamemode.`
    issues.push({ path: 'gamemode', message })
  } else if (!isGamemode(gamemode)) {
    issues.push({ path: 'gamemode', message: `Must be one of ${GAMEMODES.join(', ')}, in lower case.` })
  }
  return { user: user ?? '', gamemode: gamemode ?? '' }
}
