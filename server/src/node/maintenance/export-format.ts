import { isDeepStrictEqual } from 'node:util'
import {
  adminSchema,
  auditEntrySchema,
  createdUserSchema,
  isGamemode,
  KINDS,
  type Kind,
  newUserSchema,
  rarityValue,
  userNameKey,
} from '@fish-crab/sdk/contract'
import * as z from 'zod/mini'
import { parsePayload } from '../../app/catches/payload.ts'
import { toRecord } from '../../app/catches/record.ts'
import {
  ADMINS_KEY,
  API_KEYS_BASE,
  AUDIT_BASE,
  auditKey,
  FAILED_LOGINS_BASE,
  isPasswordKey,
  KEY_READS_BASE,
  ownerOfEncrypted,
  SECRET_CHECK_KEY,
  USER_NAMES_BASE,
  USERS_BASE,
  userKey,
} from '../../app/store/item-keys.ts'
import { isStoreId } from '../../app/store/store-id.ts'
import { isEncrypted } from '../../app/users/encryption.ts'
import { isSecretCheck } from '../../app/users/secret-check.ts'
import { checkItemKey, STORE_KEY } from '../../storage/core/keys.ts'
import type { NewRecord } from '../../storage/core/types.ts'
import { SCHEMA_VERSION } from '../../storage/file/schema.ts'
import { isBcryptHash, isScryptHash } from '../passwords.ts'

const FORMAT = 'fish-crab-export'
/** The version of the format that this code writes, and the only one that it reads. */
const VERSION = 1

const text = z.string().check(z.refine((value) => value.isWellFormed()))
const nonEmpty = text.check(z.minLength(1))
const positive = z.int().check(z.minimum(1))
const total = z.int().check(z.minimum(0))

const header = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  exportedAt: text,
  schema: positive.check(z.maximum(SCHEMA_VERSION)),
})

const exportedRecord = z.strictObject({
  owner: nonEmpty,
  kind: nonEmpty,
  gamemode: nonEmpty,
  id: nonEmpty,
  dedupeKey: z.nullable(text),
  count: positive,
  entries: text,
  labels: z.record(nonEmpty, positive),
})

const contentLine = z.union([
  z.strictObject({ record: exportedRecord }),
  z.strictObject({ item: text.check(z.refine((key) => isValid(() => checkItemKey(key)))), value: text }),
  z.strictObject({ token: z.strictObject({ owner: nonEmpty, dedupeKey: text, id: nonEmpty }) }),
  z.strictObject({ removedOwner: nonEmpty }),
])

const endLine = z.strictObject({
  end: z.strictObject({ items: total, records: total, tokens: total, removedOwners: total }),
})

export function firstLine(now: Date, schema: number): z.infer<typeof header> {
  return { format: FORMAT, version: VERSION, exportedAt: now.toISOString(), schema }
}

/** Number of lines of each kind between the first and the last. */
export type LineCounts = z.infer<typeof endLine>['end']

export function lastLine({ items, records, tokens, removedOwners }: LineCounts): z.infer<typeof endLine> {
  return { end: { items, records, tokens, removedOwners } }
}

export function firstLineProblem(value: unknown): string | undefined {
  if (header.safeParse(value).success) return undefined
  const { format, version } = Object(value)
  const isOther = format === FORMAT && typeof version === 'number' && version !== VERSION
  return isOther ? `has version ${version}, and this program reads ${VERSION}` : 'is not the first line of an export'
}

export const exportLine = z.union([contentLine, endLine])
export type ContentLine = z.infer<typeof contentLine>

/** What an export contains. */
export interface ExportCounts extends LineCounts {
  readonly users: number
  /** Fish and crabs in the records. */
  readonly entries: number
}

export function ownerOf(line: ContentLine): string | undefined {
  if ('record' in line) return line.record.owner
  if ('token' in line) return line.token.owner
  return 'removedOwner' in line ? line.removedOwner : undefined
}

/**
 * What is wrong with the content of a line that no write to the service could have stored, as the end of a sentence.
 * Importing it would make a store that fails much later.
 */
export function lineProblem(line: ContentLine): string | undefined {
  if ('record' in line) return recordProblem(line.record)
  if (!('item' in line)) return undefined
  const { item, value } = line
  return ITEM_CHECKS.find(([applies, isStorable]) => applies(item) && !isStorable(value, item))?.[2]
}

function recordProblem({ owner: _, kind, gamemode, ...record }: z.infer<typeof exportedRecord>): string | undefined {
  if (!(KINDS as readonly string[]).includes(kind)) return 'has an unknown kind of catches'
  if (!isGamemode(gamemode)) return 'has an unknown gamemode'
  const isStorable = isValid(() => isDeepStrictEqual(rebuildRecord(kind as Kind, record), record))
  return isStorable ? undefined : 'has catches that the service cannot have stored'
}

/** Throws if the service would reject the catches. */
function rebuildRecord(kind: Kind, { id, dedupeKey, entries }: NewRecord): NewRecord {
  const stored: Record<string, unknown>[] = JSON.parse(`[${entries}]`)
  // A payload has the rarity as a number.
  const sent = stored.map(({ rarity, ...entry }) => ({
    ...entry,
    rarity: typeof rarity === 'string' ? rarityValue(rarity) : rarity,
  }))
  return toRecord(parsePayload[kind]({ [kind]: sent }).entries, { id, dedupeKey, caughtAt: '' })
}

const { name } = newUserSchema.shape
const user = z.object({ id: nonEmpty, name, createdAt: createdUserSchema.shape.createdAt })
const auditEntry = z.object({ ...auditEntrySchema.shape, id: nonEmpty })
const admin = z.object({
  ...adminSchema.shape,
  id: nonEmpty,
  username: name,
  passwordHash: z.string().check(z.refine((hash) => isScryptHash(hash) || isBcryptHash(hash))),
  endedSessions: z.optional(z.array(z.object({ id: nonEmpty, until: z.number() }))),
})
const admins = z
  .array(admin)
  .check(z.refine((list) => new Set(list.map(({ username }) => userNameKey(username))).size === list.length))

const isKey = (key: string) => (item: string) => item === key
const isBelow = (base: string) => (item: string) => item.startsWith(base)

const NOT_ENCRYPTED = 'has a value that is not encrypted as the service does'
const NOT_AN_ADMIN = 'has administrators that the service cannot have stored'
const NOT_AN_ENTRY = 'has an entry of the audit log that the service cannot have stored'
const NOT_A_USER = 'has a user that the service cannot have stored'

const ITEM_CHECKS: readonly [
  applies: (key: string) => boolean,
  isStorable: (value: string, key: string) => boolean,
  problem: string,
][] = [
  [isKey(STORE_KEY), isStoreId, 'has an invalid store id'],
  [isKey(SECRET_CHECK_KEY), isSecretCheck, NOT_ENCRYPTED],
  [(key) => ownerOfEncrypted(key) !== undefined, isEncrypted, NOT_ENCRYPTED],
  [isPasswordKey, isScryptHash, 'has an unknown form of password hash'],
  [isKey(ADMINS_KEY), (value) => admins.safeParse(parsed(value)).success, NOT_AN_ADMIN],
  // The service never removes the last one: nobody could create another.
  [isKey(ADMINS_KEY), hasSuperadmin, 'has administrators without a superadmin'],
  [isBelow(AUDIT_BASE), (value, key) => isStoredAs(auditEntry, auditKey, value, key), NOT_AN_ENTRY],
  [isBelow(FAILED_LOGINS_BASE), isBelow(AUDIT_BASE), NOT_AN_ENTRY],
  [isBelow(KEY_READS_BASE), (value) => createdUserSchema.shape.createdAt.safeParse(value).success, NOT_A_USER],
  [isBelow(USERS_BASE), (value, key) => isStoredAs(user, (one) => userKey(one.name), value, key), NOT_A_USER],
  [isBelow(USER_NAMES_BASE), (value) => name.safeParse(value).success, NOT_A_USER],
  [isBelow(API_KEYS_BASE), (value) => name.safeParse(value).success, NOT_A_USER],
]

function hasSuperadmin(value: string): boolean {
  return admins.parse(parsed(value)).some(({ role }) => role === 'superadmin')
}

/** To the letter: the service deletes a user by comparing the text. */
function isStoredAs<Schema extends z.ZodMiniType>(
  schema: Schema,
  keyOf: (data: z.output<Schema>) => string,
  value: string,
  key: string,
): boolean {
  const { success, data } = schema.safeParse(parsed(value))
  return success && key === keyOf(data) && value === JSON.stringify(data)
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isValid(check: () => unknown): boolean {
  try {
    return check() !== false
  } catch {
    return false
  }
}
