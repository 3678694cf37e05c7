import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Env } from '../core/terminal.ts'

// What the XDG Base Directory Specification 0.8 asks for.
const OWNER_ONLY_FOLDER = 0o700

/** Where this user keeps what can be made again; `undefined` when nobody says who it is. */
export function cachePlace(platform: NodeJS.Platform, { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'fish-cli', 'Cache')
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'fish-cli')
  if (!HOME?.startsWith('/')) return undefined
  return join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'fish-cli')
}

/**
 * The folder of {@link cachePlace}, which is there: where it is missing, it and the one above are made. `undefined` when
 * it cannot be there. Whoever is given a folder that is missing may try for ever to make it, as Node does below /proc.
 */
export function cacheFolder(platform: NodeJS.Platform, env: Env): string | undefined {
  const folder = cachePlace(platform, env)
  if (folder === undefined || existsSync(folder)) return folder
  try {
    const above = dirname(folder)
    if (!existsSync(above)) mkdirSync(above, { mode: OWNER_ONLY_FOLDER })
    mkdirSync(folder, { mode: OWNER_ONLY_FOLDER })
    return folder
  } catch {
    return undefined
  }
}
