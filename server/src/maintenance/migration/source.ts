import { createHash } from 'node:crypto'
import { CATCH_NAME_PATTERN, isGamemode, type Kind, type RarityValue, rarityLabel } from '@fish-crab/sdk/contract'
import type { CaughtEntry } from '../../app/catches/payload.ts'
import type { Dump, DumpDocument } from './dump.ts'
import { invalidDump } from './dump.ts'

/*
 * The collections of the older service: users, their API keys, administrators, and one collection of catches for each
 * player, kind and gamemode. Other collections, such as request logs with secrets, are not read.
 */

export interface SourceUser {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  /** The fields `password`, `fernetKey` and `apiKeys` are secrets. */
  readonly password: string | undefined
  readonly fernetKey: string | undefined
  readonly apiKeys: readonly string[]
}

export interface SourceAdmin {
  readonly id: string
  readonly username: string
  readonly role: string
  readonly createdAt: string
  /** A bcrypt hash. */
  readonly passwordHash: string
}

/** The catches of one player in one gamemode. */
export interface SourceCollection {
  readonly kind: Kind
  /** The name of the player. */
  readonly player: string
  readonly gamemode: string
  readonly catches: number
  /** Number of fish with an unknown rarity. */
  readonly unknownRarities: number
  /** Number of documents that are not catches, because their name is missing or invalid. */
  readonly invalid: number
}

/** The content of a dump, with counts in place of the catches. */
export interface Source {
  readonly users: readonly SourceUser[]
  readonly admins: readonly SourceAdmin[]
  readonly collections: ReadonlyMap<string, SourceCollection>
  /** Names of collections that begin with `fish_` or `crab_` but do not end with a gamemode. */
  readonly unknownCollections: readonly string[]
  /** Number of API keys without a player. */
  readonly ownerlessApiKeys: number
}

const [USERS, API_KEYS, ADMINS] = ['users', 'api_keys', 'admins']

/** Names of players may contain `_`. The gamemodes of the older service contain no `_`. */
function parseCollection(name: string): Pick<SourceCollection, 'kind' | 'player' | 'gamemode'> | undefined {
  const [, kind, player = '', named = ''] = /^(fish|crab)_(.+)_([^_]+)$/s.exec(name) ?? []
  const gamemode = named.toLowerCase()
  return isGamemode(gamemode) ? { kind: kind as Kind, player, gamemode } : undefined
}

/** Reads the whole dump once. @param onDocuments called repeatedly with the number of documents so far */
export async function readSource(dump: Dump, onDocuments: (count: number) => void): Promise<Source> {
  const users = new Map<string, Omit<SourceUser, 'apiKeys'>>()
  const apiKeys = new Map<string, string[]>()
  const admins: SourceAdmin[] = []
  const collections = new Map<string, { -readonly [Field in keyof SourceCollection]: SourceCollection[Field] }>()
  const unknownCollections = new Set<string>()
  let count = 0
  const isRead = (collection: string) => {
    // Report progress here too, because an archive may have a long part without a wanted collection.
    onDocuments(count)
    if ([USERS, API_KEYS, ADMINS].includes(collection) || parseCollection(collection)) return true
    if (/^(?:fish|crab)_/.test(collection)) unknownCollections.add(collection)
    return false
  }
  for await (const { collection, document } of dump(isRead)) {
    if (document._id === undefined) throw invalidDump(`A document of ${collection} has no _id.`)
    count += 1
    if (count % 1000 === 0) onDocuments(count)
    if (collection === USERS) {
      const user = parseUser(document)
      users.set(users.has(user.id) ? `${user.id} ${idOf(document)}` : user.id, user)
    } else if (collection === API_KEYS) {
      const { key, userId } = document
      if (typeof key !== 'string' || key === '') throw invalidDump(`An API key (${idOf(document)}) has no key.`)
      const owner = textOf(userId) ?? idText(userId)
      const keys = apiKeys.get(owner)
      if (keys) keys.push(key)
      else apiKeys.set(owner, [key])
    } else if (collection === ADMINS) admins.push(parseAdmin(document))
    else {
      const parsed = parseCollection(collection)
      if (!parsed) continue
      const counted = collections.get(collection) ?? { ...parsed, catches: 0, unknownRarities: 0, invalid: 0 }
      const entry = parseCatch(parsed.kind, document)
      if (!entry) counted.invalid += 1
      else {
        counted.catches += 1
        if (entry.rarity === UNKNOWN) counted.unknownRarities += 1
      }
      collections.set(collection, counted)
    }
  }
  onDocuments(count)
  if (users.size === 0) throw invalidDump('The dump has no users.')
  const owners = new Set([...users.values()].map(({ id }) => id))
  return {
    users: [...users].map(([id, user]) => ({ ...user, id: usableId(id), apiKeys: apiKeys.get(user.id) ?? [] })),
    admins,
    collections,
    unknownCollections: [...unknownCollections],
    ownerlessApiKeys: [...apiKeys].reduce((sum, [id, keys]) => sum + (owners.has(id) ? 0 : keys.length), 0),
  }
}

const USABLE_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Ids of users are parts of keys, headers and file names. An unusable id is replaced by a new id, which is the same in
 * every run.
 */
function usableId(id: string): string {
  return USABLE_ID.test(id) ? id : `u-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}

/** The `_id` as text. */
export function idOf({ _id }: DumpDocument): string {
  return idText(_id)
}

/** The 24 hexadecimal digits of an ObjectId, or any other id as JSON. */
function idText(id: unknown): string {
  const { toHexString } = Object(id) as { toHexString?: unknown }
  return typeof toHexString === 'function' ? String(toHexString.call(id)) : JSON.stringify(id ?? null)
}

const OBJECT_ID = /^([\da-f]{8})[\da-f]{16}$/

/** Uses the time in the ObjectId if the field is not a valid date: an ObjectId begins with the Unix time in seconds. */
function timeOf(document: DumpDocument, field: unknown): string {
  const [, seconds] = OBJECT_ID.exec(idOf(document)) ?? []
  const given = field instanceof Date ? field.getTime() : Number.NaN
  const time = given >= 0 && given < LAST_YEAR ? given : Number.parseInt(seconds ?? '0', 16) * 1000
  return new Date(time).toISOString()
}

/** The start of the first year with five digits, which the time format does not allow. */
const LAST_YEAR = Date.UTC(10_000, 0)

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function parseUser(document: DumpDocument): Omit<SourceUser, 'apiKeys'> {
  const { id, name, userPassword, fernetKey, createdAt } = document
  return {
    id: textOf(id) ?? idOf(document),
    name: typeof name === 'string' ? name : '',
    createdAt: timeOf(document, createdAt),
    password: textOf(userPassword),
    fernetKey: textOf(fernetKey),
  }
}

function parseAdmin(document: DumpDocument): SourceAdmin {
  const { username, password, role, createdAt } = document
  return {
    id: idOf(document),
    username: typeof username === 'string' ? username : '',
    role: typeof role === 'string' ? role : '',
    createdAt: timeOf(document, createdAt),
    passwordHash: typeof password === 'string' ? password : '',
  }
}

const RARITIES: readonly unknown[] = [1, 2, 3, 4, 6, 7] satisfies readonly RarityValue[]
const UNKNOWN = rarityLabel(5)

/** Parses a catch. Returns `undefined` for a document that is not a catch. */
export function parseCatch(
  kind: Kind,
  document: DumpDocument,
): (Required<Omit<CaughtEntry, 'rarity'>> & CaughtEntry) | undefined {
  const { fish: name, rarity, timestamp } = document
  if (typeof name !== 'string' || !CATCH_NAME_PATTERN.test(name)) return undefined
  const caughtAt = timeOf(document, timestamp)
  if (kind === 'crab') return { name, caughtAt }
  return { name, rarity: RARITIES.includes(rarity) ? rarityLabel(rarity as RarityValue) : UNKNOWN, caughtAt }
}
