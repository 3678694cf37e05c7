import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { System } from '../../core/system.ts'
import { folders, homeFolder } from '../../session/paths.ts'

const MAX_BYTES = 64 * 1024

/** Returns the paths of the files in the folder for downloads that have this content. */
export async function findDownloads(system: Pick<System, 'env'>, content: string): Promise<readonly string[]> {
  const folder = await downloadsFolder(system)
  const names = await readdir(folder).catch(() => [])
  return matching(
    names.filter((name) => name.toLowerCase().endsWith('.json')).map((name) => join(folder, name)),
    content,
  )
}

/** Deletes the files, except those whose content has changed. */
export async function deleteDownloads(paths: readonly string[], content: string): Promise<void> {
  for (const path of await matching(paths, content)) await rm(path)
}

async function matching(paths: readonly string[], content: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) if (await hasContent(path, content)) found.push(path)
  return found
}

async function hasContent(path: string, content: string): Promise<boolean> {
  try {
    const facts = await stat(path)
    return facts.isFile() && facts.size <= MAX_BYTES && new TextDecoder().decode(await readFile(path)) === content
  } catch {
    return false
  }
}

/** Linux desktops translate the name of the folder (xdg-user-dirs). */
async function downloadsFolder(system: Pick<System, 'env'>): Promise<string> {
  const home = homeFolder(system.env)
  const usual = join(home, 'Downloads')
  if (process.platform === 'win32' || process.platform === 'darwin') return usual
  const names = await readFile(join(dirname(folders(system).config), 'user-dirs.dirs'), 'utf8').catch(() => '')
  const [, name] = /^XDG_DOWNLOAD_DIR="(.+)"$/m.exec(names) ?? []
  return name?.replace(/^\$HOME/, home) ?? usual
}
