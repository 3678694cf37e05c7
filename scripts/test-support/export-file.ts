import { createHash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { MaintenanceProgress } from '@fish-crab/server'
import { itemKey, type NewRecord } from '@fish-crab/server/storage'
import type { CaughtEntry } from '../../server/src/app/catches/payload.ts'
import { toRecord } from '../../server/src/app/catches/record.ts'

/** Writes an export of these lines by hand. */
export function writeLines(file: string, lines: readonly object[]): void {
  const header = { format: 'fish-crab-export', version: 1, exportedAt: new Date(0).toISOString(), schema: 1 }
  const count = (kind: string) => lines.filter((line) => kind in line).length
  const [items, records, tokens] = [count('item'), count('record'), count('token')]
  const last = { end: { items, records, tokens, removedOwners: count('removedOwner') } }
  writeFileSync(file, `${[header, ...lines, last].map((line) => JSON.stringify(line)).join('\n')}\n`)
}

/** The same of many items, large enough that an import of it takes a while. */
export function writeExport(file: string, items: number, more: readonly object[] = []): void {
  const many = Array.from({ length: items }, (_, at) => ({
    item: itemKey('note', `entry-${at}`),
    value: 'x'.repeat(200),
  }))
  writeLines(file, [...more, ...many])
}

/** An `onProgress` of an import that calls a function once a part of the lines is written, and not all. */
export function afterFirstBatch(act: () => void): (progress: MaintenanceProgress) => void {
  let isDone = false
  return ({ step, done }) => {
    if (isDone || step !== 'write' || done === 0) return
    isDone = true
    act()
  }
}

/** What the hash of a password and an encrypted key look like. */
export const HASH = `scrypt$131072$8$1$${'A'.repeat(22)}==$${'B'.repeat(43)}=`
export const ENCRYPTED = `v2.abcd-_01.${'A'.repeat(16)}.${'B'.repeat(80)}`

/** All items that the service keeps of a user. */
export function userItems(
  id: string,
  name: string,
  encryptedKey = ENCRYPTED,
): { readonly item: string; readonly value: string }[] {
  const apiKey = createHash('sha256').update(id).digest('hex')
  const user = { id, name, createdAt: new Date(0).toISOString() }
  return Object.entries({
    [itemKey('api-key', apiKey)]: name,
    [itemKey('secret', id, 'api-key')]: apiKey,
    [itemKey('secret', id, 'fernet')]: encryptedKey,
    [itemKey('secret', id, 'password')]: HASH,
    [itemKey('user', name.toLowerCase())]: JSON.stringify(user),
    [itemKey('user-name', id)]: name,
  }).map(([item, value]) => ({ item, value }))
}

/** What {@link caughtRecord} is made of. */
interface Caught {
  readonly id?: string
  readonly dedupeKey?: string | null
  readonly entries?: readonly CaughtEntry[]
}

/** A record as a write to the service makes it, of one fish unless said otherwise. */
export function caughtRecord({
  id = randomUUID(),
  dedupeKey = id,
  entries = [{ name: 'Cod', rarity: 'Bronze' }],
}: Caught = {}): NewRecord {
  return toRecord(entries, { id, dedupeKey, caughtAt: new Date(0).toISOString() })
}
