import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { type UserFolders, userFolders } from '../../../sdk/src/internal/user-folders.node.ts'
import { serviceOf } from '../core/parse-values.ts'
import type { Env, System } from '../core/system.ts'

export function folders({ env }: Pick<System, 'env'>): UserFolders {
  return userFolders({ platform: process.platform, env, home: homeFolder(env) })
}

export function configPath(system: Pick<System, 'env'>): string {
  return join(folders(system).config, 'config.json')
}

export function secretsPath(system: Pick<System, 'env'>): string {
  return join(folders(system).state, 'secrets.json')
}

export function lockPath(system: Pick<System, 'env'>): string {
  return join(folders(system).state, 'changes.lock')
}

/**
 * The file of the outbox. Each service has its own file, so that catches for one service never go to another service.
 */
export function outboxPath(system: Pick<System, 'env'>, url: string): string {
  const name = (URL.parse(url)?.host ?? 'service').replace(/[^a-z\d.-]+/gi, '-').slice(0, 64)
  const hash = createHash('sha256').update(serviceOf(url)).digest('hex').slice(0, 8)
  return join(folders(system).state, `outbox-${name}-${hash}.db`)
}

// Debian (base-passwd) uses this path for users without a home folder. The folder does not exist and cannot be created.
const NO_HOME = '/nonexistent'

/**
 * Returns the home folder. Users without a home folder, as in containers, get a folder that does not exist, so that
 * reading still works.
 */
export function homeFolder({ HOME, USERPROFILE }: Env): string {
  const given = process.platform === 'win32' ? USERPROFILE : HOME
  if (given && isAbsolute(given)) return given
  try {
    return userInfo().homedir || NO_HOME
  } catch {
    return NO_HOME
  }
}

// The XDG Base Directory Specification 0.8 requires this mode.
const OWNER_ONLY_FOLDER = 0o700

export function cachePath(platform: NodeJS.Platform, { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'fish-cli', 'Cache')
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'fish-cli')
  if (!HOME?.startsWith('/')) return undefined
  return join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'fish-cli')
}

/**
 * Creates the cache folder for Node, because Node itself would try forever to create a folder below /proc. Returns
 * `undefined` if another user could change the cache, because Node runs the code in it.
 */
export function cacheFolder(platform: NodeJS.Platform, env: Env): string | undefined {
  const folder = cachePath(platform, env)
  if (folder === undefined) return undefined
  try {
    const above = dirname(folder)
    if (!existsSync(above)) mkdirSync(above, { mode: OWNER_ONLY_FOLDER })
    if (!existsSync(folder)) mkdirSync(folder, { mode: OWNER_ONLY_FOLDER })
    return [above, folder].every(isOwn) ? folder : undefined
  } catch {
    return undefined
  }
}

const WRITABLE_BY_OTHERS = 0o002

/** A link also counts as foreign. Windows has no such owners and modes. */
function isOwn(folder: string): boolean {
  const user = process.geteuid?.()
  if (user === undefined) return true
  const stat = lstatSync(folder)
  return stat.isDirectory() && stat.uid === user && (stat.mode & WRITABLE_BY_OTHERS) === 0
}
