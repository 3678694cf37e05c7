import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates an empty folder for one test, which removes the folder at its end. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
