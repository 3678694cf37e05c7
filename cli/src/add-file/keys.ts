import { createHash } from 'node:crypto'
import { userNameKey } from '@fish-crab/sdk/constants'
import type { FileDefaults } from './catches.ts'

const FILE = 'file:'

/**
 * The part before the position in the outbox keys of a file's catches. This part depends on the content, the player and
 * the defaults, so the outbox skips a repeated file. With `--again`, each run has a different part.
 */
export function fileGroup(hash: string, defaults: FileDefaults, again: boolean): string {
  const text = JSON.stringify([hash, { ...defaults, user: userNameKey(defaults.user) }])
  return `${FILE}${createHash('sha256').update(text).digest('hex')}${again ? `:${crypto.randomUUID()}` : ''}`
}

/** All catches of one run have the same group. Each catch of a log has a separate group. */
export function groupOfKey(key: string): string {
  return key.startsWith(FILE) ? key.slice(0, key.lastIndexOf(':')) : key
}
