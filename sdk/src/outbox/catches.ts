import {
  type CrabInput,
  type FishInput,
  readEntries,
  readTarget,
  type Target,
} from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { userNameKey } from '../contract/names.ts'
import { type Issue, ValidationError } from '../errors/fish-crab-error.ts'
import type { CatchToAdd, Checkpoint } from './store.ts'

/** Fields of a catch besides its entry. */
export interface CatchFields extends Target {
  /**
   * Identifies this catch, for example by log file and offset. A catch with a known key is a duplicate and is not added,
   * even after delivery. 1 to 512 characters. @default none: every catch is added
   */
  readonly key?: string | undefined
}

/** A fish to add. `caughtAt` defaults to the current time. */
export interface NewFish extends FishInput, CatchFields {
  readonly kind: 'fish'
}

/** A crab to add. `caughtAt` defaults to the current time. */
export interface NewCrab extends CrabInput, CatchFields {
  readonly kind: 'crab'
}

/** A catch to add. */
export type NewCatch = NewFish | NewCrab

const MAX_KEY_LENGTH = 512

/** The id of a collection in a store. User names are case-insensitive. */
function collectionId(kind: Kind, user: string, gamemode: Gamemode): string {
  return `${kind}/${gamemode}/${userNameKey(user)}`
}

/**
 * Checks catches like the client, and converts them to the format of the service.
 *
 * @param now Milliseconds since 1970; the default of `caughtAt`.
 * @throws ValidationError with every mistake, under paths such as `catches.0.name`.
 */
export function readCatches(
  catches: readonly NewCatch[],
  { now, defaults, checkpoint }: { now: number; defaults: Target; checkpoint?: Checkpoint | undefined },
): CatchToAdd[] {
  const issues: Issue[] = []
  const read = catches.map((one, index) => readCatch(one, now, defaults, (issue) => issues.push(issue), index))
  if (checkpoint && !isShortText(checkpoint.name)) issues.push({ path: 'checkpoint.name', message: KEY_MESSAGE })
  if (checkpoint && typeof checkpoint.value !== 'string')
    issues.push({ path: 'checkpoint.value', message: 'Must be a string.' })
  if (checkpoint && !isExpectation(checkpoint.expected)) {
    issues.push({ path: 'checkpoint.expected', message: 'Must be a string, or null for none.' })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return read
}

const KEY_MESSAGE = `Must be a string of 1 to ${MAX_KEY_LENGTH} characters.`

function readCatch(
  one: NewCatch,
  now: number,
  defaults: Target,
  report: (issue: Issue) => void,
  index: number,
): CatchToAdd {
  const at = `catches.${index}`
  const { kind, key, user: wantedUser, gamemode: wantedGamemode } = (one ?? {}) as NewCatch
  if (kind !== 'fish' && kind !== 'crab') report({ path: `${at}.kind`, message: 'Must be fish or crab.' })
  if (key !== undefined && !isShortText(key)) report({ path: `${at}.key`, message: KEY_MESSAGE })
  const issues: Issue[] = []
  const [entry = {}] = readEntries([one], kind === 'crab' ? 'crab' : 'fish', issues)
  for (const { path, message } of issues) report({ path: path.replace(/^(fish|crab)(\.0)?/, at), message })
  const targetIssues: Issue[] = []
  const { user, gamemode } = readTarget({ user: wantedUser, gamemode: wantedGamemode }, defaults, targetIssues)
  for (const { path, message } of targetIssues) report({ path: `${at}.${path}`, message })
  const collection = { kind, user, gamemode: gamemode as Gamemode }
  return {
    ...collection,
    collection: collectionId(collection.kind, user, collection.gamemode),
    entry: { ...entry, caughtAt: entry.caughtAt ?? new Date(now).toISOString() },
    ...(key === undefined ? {} : { key }),
  }
}

function isExpectation(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string'
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= MAX_KEY_LENGTH
}
