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
  AUDIT_BASE,
  auditKey,
  isPasswordKey,
  ownerOfEncrypted,
  SECRET_CHECK_KEY,
  STORE_KEY,
  USERS_BASE,
} from '../../app/store/item-keys.ts'
import { isStoreId } from '../../app/store/store-id.ts'
import { isEncrypted } from '../../app/users/encryption.ts'
import { isSecretCheck } from '../../app/users/secret-check.ts'
import { SCHEMA_VERSION } from '../../storage/file/schema.ts'
import { checkItemKey, itemKey } from '../../storage/keys.ts'
import type { NewRecord } from '../../storage/types.ts'
import { isScryptHash } from '../passwords.ts'

/** `format` of the first line of an export. */
export const EXPORT_FORMAT = 'fish-crab-export'
/** The version of the format that this code writes, and the only one that it reads. */
export const EXPORT_VERSION = 1

const text = z.string().check(z.refine((value) => value.isWellFormed()))
const nonEmpty = text.check(z.minLength(1))
const positive = z.int().check(z.minimum(1))
const total = z.int().check(z.minimum(0))

/** The first line of an export. */
export const exportHeader = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: text,
  schema: positive.check(z.maximum(SCHEMA_VERSION, 'is newer than this version can read; update it first')),
})

const exportedRecord = z.strictObject({
  owner: nonEmpty,
  kind: nonEmpty,
  gamemode: nonEmpty,
  id: nonEmpty,
  dedupeKey: z.nullable(text),
  count: positive,
  plain: text,
  full: text,
  labels: z.record(nonEmpty, positive),
})
const recordLine = z.strictObject({ record: exportedRecord })
const itemLine = z.strictObject({ item: text.check(z.refine(isItemKey)), value: text })
const tokenLine = z.strictObject({ token: z.strictObject({ owner: nonEmpty, dedupeKey: text, id: nonEmpty }) })
const removedOwnerLine = z.strictObject({ removedOwner: nonEmpty })
const endLine = z.strictObject({
  end: z.strictObject({ items: total, records: total, tokens: total, removedOwners: total }),
})

/** Every line of an export but the first. */
export const exportLine = z.union([recordLine, itemLine, tokenLine, removedOwnerLine, endLine])

export type ExportHeader = z.infer<typeof exportHeader>
/** A line between the first and the last. */
export type ContentLine = Exclude<z.infer<typeof exportLine>, { end: unknown }>
/** Number of lines of each kind, as in the last line. */
export type LineCounts = z.infer<typeof endLine>['end']

/** What an export contains. */
export interface ExportCounts extends LineCounts {
  readonly users: number
  /** Fish and crabs in the records. */
  readonly entries: number
}

export const NO_LINES: ExportCounts = { items: 0, records: 0, tokens: 0, removedOwners: 0, users: 0, entries: 0 }

/** Counts one more line. */
export function countLine(counts: ExportCounts, line: ContentLine): ExportCounts {
  if ('record' in line) {
    return { ...counts, records: counts.records + 1, entries: counts.entries + line.record.count }
  }
  if ('item' in line) {
    return { ...counts, items: counts.items + 1, users: counts.users + Number(line.item.startsWith(USERS_BASE)) }
  }
  if ('token' in line) return { ...counts, tokens: counts.tokens + 1 }
  return { ...counts, removedOwners: counts.removedOwners + 1 }
}

/** The counts of the last line. */
export function lineCounts({ items, records, tokens, removedOwners }: ExportCounts): LineCounts {
  return { items, records, tokens, removedOwners }
}

/** The id of the user whose data a line is, if any. */
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
  return 'item' in line ? itemProblem(line.item, line.value) : undefined
}

function recordProblem({ owner: _, kind, gamemode, ...record }: z.infer<typeof exportedRecord>): string | undefined {
  if (!(KINDS as readonly string[]).includes(kind)) return 'has an unknown kind of catches'
  if (!isGamemode(gamemode)) return 'has an unknown gamemode'
  return isDeepStrictEqual(rebuildRecord(kind as Kind, record), record)
    ? undefined
    : 'has catches that the service cannot have stored'
}

/** The record that the service makes of the same catches; `undefined` where it refuses them. */
function rebuildRecord(kind: Kind, { id, dedupeKey, full }: Omit<NewRecord, 'plain'>): NewRecord | undefined {
  try {
    const stored: Record<string, unknown>[] = JSON.parse(`[${full}]`)
    // A payload has the rarity as a number.
    const sent = stored.map(({ rarity, ...entry }) => ({
      ...entry,
      rarity: typeof rarity === 'string' ? rarityValue(rarity) : rarity,
    }))
    const { entries } = parsePayload[kind]({ [kind]: sent })
    return toRecord(entries, { id, dedupeKey, caughtAt: '' })
  } catch {
    return undefined
  }
}

const { name } = newUserSchema.shape
const user = z.object({ id: nonEmpty, name, createdAt: createdUserSchema.shape.createdAt })
const auditEntry = z.object({ ...auditEntrySchema.shape, id: nonEmpty })
const admins = z.array(
  z.object({
    ...adminSchema.shape,
    id: nonEmpty,
    username: name,
    passwordHash: z.string().check(z.refine(isScryptHash)),
  }),
)

/** Items that lead to a user by name. */
const NAMES = /^(?:user-name|api-key):/

const NOT_ENCRYPTED = 'has a value that is not encrypted as the service does'
const NOT_A_USER = 'has a user that the service cannot have stored'

function itemProblem(key: string, value: string): string | undefined {
  if (key === STORE_KEY) return isStoreId(value) ? undefined : 'has an invalid store id'
  if (key === SECRET_CHECK_KEY) return isSecretCheck(value) ? undefined : NOT_ENCRYPTED
  if (ownerOfEncrypted(key) !== undefined) return isEncrypted(value) ? undefined : NOT_ENCRYPTED
  if (isPasswordKey(key)) return isScryptHash(value) ? undefined : 'has an unknown form of password hash'
  if (key === ADMINS_KEY) return adminsProblem(value)
  if (key.startsWith(AUDIT_BASE)) {
    return isAuditEntry(key, value) ? undefined : 'has an entry of the audit log that the service cannot have stored'
  }
  if (NAMES.test(key)) return name.safeParse(value).success ? undefined : NOT_A_USER
  return !key.startsWith(USERS_BASE) || isUser(key, value) ? undefined : NOT_A_USER
}

function adminsProblem(value: string): string | undefined {
  const { data } = admins.safeParse(parsed(value))
  const names = new Set(data?.map(({ username }) => userNameKey(username)))
  if (data === undefined || names.size < data.length) return 'has administrators that the service cannot have stored'
  // The service never removes the last one: nobody could create another.
  return data.some(({ role }) => role === 'superadmin') ? undefined : 'has administrators without a superadmin'
}

function isAuditEntry(key: string, value: string): boolean {
  const { data } = auditEntry.safeParse(parsed(value))
  return data !== undefined && key === auditKey(data) && value === JSON.stringify(data)
}

/** To the letter: the service deletes a user by comparing the text. */
function isUser(key: string, value: string): boolean {
  const { data } = user.safeParse(parsed(value))
  return data !== undefined && key === itemKey(USERS_BASE, userNameKey(data.name)) && value === JSON.stringify(data)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isItemKey(key: string): boolean {
  try {
    return checkItemKey(key) === key
  } catch {
    return false
  }
}
