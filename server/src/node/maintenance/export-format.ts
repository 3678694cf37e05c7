import * as z from 'zod/mini'
import { USERS_BASE } from '../../app/store/item-keys.ts'
import { SCHEMA_VERSION } from '../../storage/file/schema.ts'
import { checkItemKey } from '../../storage/keys.ts'

/** What the first line of an export says it is. */
export const EXPORT_FORMAT = 'fish-crab-export'
/** The version of the format that this code writes, and the only one that it reads. */
export const EXPORT_VERSION = 1

const text = z.string().check(z.refine((value) => value.isWellFormed()))
const name = text.check(z.minLength(1))
const number = z.int().check(z.minimum(1))
const total = z.int().check(z.minimum(0))

const recordOf = z.strictObject({
  owner: name,
  kind: name,
  gamemode: name,
  id: name,
  dedupeKey: z.nullable(text),
  count: number,
  plain: text,
  full: text,
  labels: z.record(name, number),
})

/** The first line of an export. */
export const exportHeader = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: text,
  schema: number.check(z.maximum(SCHEMA_VERSION, 'is newer than this version can read; update it first')),
})

const recordLine = z.strictObject({ record: recordOf })
const itemLine = z.strictObject({ item: text.check(z.refine(isItemKey)), value: text })
const tokenLine = z.strictObject({ token: z.strictObject({ owner: name, dedupeKey: text, id: name }) })
const removedOwnerLine = z.strictObject({ removedOwner: name })
const endLine = z.strictObject({
  end: z.strictObject({ items: total, records: total, tokens: total, removedOwners: total }),
})

/** Every line of an export but the first. */
export const exportLine = z.union([recordLine, itemLine, tokenLine, removedOwnerLine, endLine])

/** The first line of an export: what the file is. */
export type ExportHeader = z.infer<typeof exportHeader>
/** A record as an export says it. */
export type ExportedRecord = z.infer<typeof recordOf>
/** A line between the first and the last: one thing that a store holds. */
export type ContentLine = Exclude<z.infer<typeof exportLine>, { end: unknown }>
/** How many lines of each kind an export has, as its last line says. */
export type LineCounts = z.infer<typeof endLine>['end']

/** What an export holds. */
export interface ExportCounts extends LineCounts {
  readonly users: number
  /** Fish and crabs in the records. */
  readonly entries: number
}

/** Counts of nothing. */
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

/** Those counts that the last line says. */
export function lineCounts({ items, records, tokens, removedOwners }: ExportCounts): LineCounts {
  return { items, records, tokens, removedOwners }
}

function isItemKey(key: string): boolean {
  try {
    return checkItemKey(key) === key
  } catch {
    return false
  }
}
