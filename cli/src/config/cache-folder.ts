import { join } from 'node:path'
import type { Env } from '../terminal.ts'

/** Where this user keeps what can be made again; `undefined` when nobody says who it is. */
export function cacheFolder(
  platform: NodeJS.Platform,
  { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env,
): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'fish-cli', 'Cache')
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'fish-cli')
  if (!HOME?.startsWith('/')) return undefined
  return join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'fish-cli')
}
