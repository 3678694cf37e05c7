import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What fills a draft inside a data folder. */
export type DraftKind = 'restore' | 'import'

const LEFTOVER = /^\.(?:restore|import)-[0-9a-f]{8}$/

/** A new name for a draft in a data folder: hidden, and no other has it. */
export function draftIn(folder: string, kind: DraftKind): string {
  return join(folder, `.${kind}-${randomBytes(4).toString('hex')}`)
}

/**
 * Removes the drafts of runs that were killed. The folder must be locked by this run, which makes its own draft only
 * afterwards: whoever has one works under that lock, so none of them is in use.
 */
export function removeLeftovers(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !LEFTOVER.test(entry.name)) continue
    try {
      rmSync(join(folder, entry.name), { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // Such as one of another user. It takes space and does no harm, and must not keep anybody from a restore.
    }
  }
}
