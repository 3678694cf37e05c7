import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test, gone afterwards. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Variables that put profiles, settings, secrets and the outbox below a folder. */
export function xdgFolders(folder: string) {
  return { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') }
}

/** The files below a folder that hold a text. */
export async function filesWith(text: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(file, 'utf8')).includes(text) ? [file] : [])),
  )
  return found.flat()
}
