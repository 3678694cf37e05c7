import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates an empty folder, and removes the folder when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
