import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { System } from '../../core/system.ts'
import { folders, homeFolder } from '../../session/paths.ts'

const MAX_BYTES = 64 * 1024

/** Returns the path of the file in the folder for downloads that has this content. */
export async function findDownload(system: Pick<System, 'env'>, content: string): Promise<string | undefined> {
  const folder = await downloadsFolder(system)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.toLowerCase().endsWith('.json'))) {
    const path = join(folder, name)
    if (await hasContent(path, content)) return path
  }
  return undefined
}

/** Deletes the file unless its content has changed. */
export async function deleteDownload(path: string, content: string): Promise<void> {
  if (await hasContent(path, content)) await rm(path)
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
