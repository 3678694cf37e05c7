import { createHash } from 'node:crypto'
import { userNameKey } from '@fish-crab/sdk/constants'
import type { FileDefaults } from './catches.ts'

const FILE = 'file:'

/**
 * Returns the prefix that the outbox keys of all catches in a file share. The prefix depends on the content, the player
 * and the defaults, so the outbox skips a file that was added before. With `--again`, each run has a new prefix.
 */
export function fileGroup(hash: string, defaults: FileDefaults, again: boolean): string {
  const text = JSON.stringify([hash, { ...defaults, user: userNameKey(defaults.user) }])
  return `${FILE}${createHash('sha256').update(text).digest('hex')}${again ? `:${crypto.randomUUID()}` : ''}`
}

/**
 * Returns the group of a key. All catches of one `add --file` run share a group. Each catch from a log has its own
 * group.
 */
export function groupOfKey(key: string): string {
  return key.startsWith(FILE) ? key.slice(0, key.lastIndexOf(':')) : key
}
