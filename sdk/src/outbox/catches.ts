import { type CrabInput, type FishInput, type PayloadEntry, parseEntries } from '../client/resources/catch-input.ts'
import { resolveTarget, type Target } from '../client/resources/target.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { userNameKey } from '../contract/names.ts'
import { type Issue, throwIssues } from '../errors/fish-crab-error.ts'

/** A named value, for example the position in a log. */
export interface Checkpoint {
  /** 1 to 512 characters. */
  readonly name: string
  /** Any text, such as a byte offset. */
  readonly value: string
}

/** A collection of the service. The order of catches is preserved within a collection. */
export interface Collection {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
}

/** A checked catch in the format of the service. */
export interface CatchToAdd extends Collection {
  /** Id of the collection, which does not depend on the letter case of the user name. */
  readonly collection: string
  /** The entry as the service will receive it. */
  readonly entry: PayloadEntry
  /** See {@link CatchFields.key}. */
  readonly key?: string | undefined
}

/** A catch in an outbox. */
export interface StoredCatch extends CatchToAdd {
  /** Position in the outbox. Positions increase and are never reused. */
  readonly seq: number
  /** When the catch was added, in Unix milliseconds. */
  readonly addedAt: number
  /** Maximum size of a batch with this catch, after a larger batch was rejected. */
  readonly batchLimit?: number | undefined
}

/** Fields of a catch besides its entry. */
export interface CatchFields extends Target {
  /**
   * Identifies this catch, for example by log file and offset. A catch with a known key is a duplicate and is not
   * added, even after delivery. `cancel` and `drop` forget the keys of their catches. The outbox remembers the last
   * 1,000,000 keys. A key has 1 to 512 characters. @default none: every catch is added
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

/** @throws ValidationError with every mistake, under paths such as `catches.0.name` */
export function parseCatches(
  catches: readonly NewCatch[],
  { now, defaults, checkpoint }: { now: number; defaults: Target; checkpoint?: Checkpoint | undefined },
): CatchToAdd[] {
  const issues = checkpointIssues(checkpoint)
  const read = catches.map((one, index) => {
    const found: Issue[] = []
    const checked = parseCatch(one, now, defaults, found)
    issues.push(...found.map(({ path, message }) => ({ path: `catches.${index}${path && `.${path}`}`, message })))
    return checked
  })
  throwIssues(issues)
  return read
}

const KEY_MESSAGE = `Must be a string of 1 to ${MAX_KEY_LENGTH} characters.`

function checkpointIssues(checkpoint: Checkpoint | undefined): Issue[] {
  const { name, value } = checkpoint ?? { name: 'none', value: '' }
  const issues = [
    !isShortText(name) && { path: 'checkpoint.name', message: KEY_MESSAGE },
    typeof value !== 'string' && { path: 'checkpoint.value', message: 'Must be a string.' },
  ]
  return issues.filter((issue) => issue !== false)
}

function parseCatch(one: NewCatch, now: number, defaults: Target, issues: Issue[]): CatchToAdd {
  const { kind, key, user: wantedUser, gamemode: wantedGamemode } = (one ?? {}) as NewCatch
  if (kind !== 'fish' && kind !== 'crab') issues.push({ path: 'kind', message: 'Must be fish or crab.' })
  if (key !== undefined && !isShortText(key)) issues.push({ path: 'key', message: KEY_MESSAGE })
  const entryIssues: Issue[] = []
  const [entry = {}] = parseEntries([one], kind === 'crab' ? 'crab' : 'fish', entryIssues)
  issues.push(...entryIssues.map(({ path, message }) => ({ path: path.replace(/^\w+\.0\.?/, ''), message })))
  const target = resolveTarget({ user: wantedUser, gamemode: wantedGamemode }, defaults)
  const { user, gamemode } = target
  issues.push(...target.issues)
  return {
    kind,
    user,
    gamemode,
    collection: `${kind}/${gamemode}/${userNameKey(user)}`,
    entry: { ...entry, caughtAt: entry.caughtAt ?? new Date(now).toISOString() },
    ...(key !== undefined && { key }),
  }
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= MAX_KEY_LENGTH
}
