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

/** What a catch in an outbox has besides its entry. */
export interface CatchFields extends Target {
  /**
   * A name of your own for this very catch, such as log file and offset: a catch with a known key is a duplicate and
   * not taken again, also after it was delivered. 1 to 512 characters. @default none, and every catch is taken
   */
  readonly key?: string | undefined
}

/** A fish for an outbox. `caughtAt` is the time it was added unless it says another. */
export interface NewFish extends FishInput, CatchFields {
  readonly kind: 'fish'
}

/** A crab for an outbox. `caughtAt` is the time it was added unless it says another. */
export interface NewCrab extends CrabInput, CatchFields {
  readonly kind: 'crab'
}

/** A catch for an outbox. */
export type NewCatch = NewFish | NewCrab

const LONGEST_KEY = 512

/** The name of a collection in a store: user names that differ in letter case alone are one user. */
function collectionId(kind: Kind, user: string, gamemode: Gamemode): string {
  return `${kind}/${gamemode}/${userNameKey(user)}`
}

/**
 * Checks catches as the client would, and brings them into the service's form.
 *
 * @param now Milliseconds since 1970: when catches that do not say were caught.
 * @throws ValidationError that names everything that is wrong, under `catches.0.name` and the like.
 */
export function readCatches(
  catches: readonly NewCatch[],
  { now, defaults, checkpoint }: { now: number; defaults: Target; checkpoint?: Checkpoint | undefined },
): CatchToAdd[] {
  const issues: Issue[] = []
  const read = catches.map((one, index) => readCatch(one, now, defaults, (issue) => issues.push(issue), index))
  if (checkpoint && !isShortText(checkpoint.name)) issues.push({ path: 'checkpoint.name', message: KEY_MESSAGE })
  if (checkpoint && typeof checkpoint.value !== 'string')
    issues.push({ path: 'checkpoint.value', message: 'Must be text.' })
  if (checkpoint && !isExpectation(checkpoint.expected)) {
    issues.push({ path: 'checkpoint.expected', message: 'Must be text, or null for none.' })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return read
}

const KEY_MESSAGE = `Must be text of 1 to ${LONGEST_KEY} characters.`

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
  return typeof value === 'string' && value.length >= 1 && value.length <= LONGEST_KEY
}
