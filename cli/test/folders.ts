import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a temporary folder, and removes the folder after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fish-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Variables that put profiles, settings, secrets and the outbox below a folder. */
export function xdgFolders(folder: string) {
  return { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') }
}

/** Writes the configuration of fish-cli below the folder of {@link xdgFolders}. The first profile is current. */
export async function writeProfiles(
  folder: string,
  profiles: Readonly<Record<string, { readonly url: string } & Readonly<Record<string, string>>>>,
): Promise<void> {
  const path = join(folder, 'config', 'fish-crab', 'config.json')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const document = { version: 1, current: Object.keys(profiles)[0], profiles }
  await writeFile(path, JSON.stringify(document), { mode: 0o600 })
}

/** The files below a folder that contain a text. */
export async function filesWith(text: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(file, 'utf8')).includes(text) ? [file] : [])),
  )
  return found.flat()
}
