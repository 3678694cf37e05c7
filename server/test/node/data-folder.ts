import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder for one test, which is removed afterwards. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
