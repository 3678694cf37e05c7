import { existsSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import * as path from 'node:path'
import { dirname, join } from 'node:path'
import type { Context, Env } from '../core/context.ts'

const OWN_FOLDER = 'fish-crab'

/** What decides about the folders. */
export interface PlatformInfo {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

/** The folders of this program. They may not exist. */
interface Folders {
  /** Profiles and settings, which may be copied to another machine. */
  readonly config: string
  /** Data of this machine: secrets without a keyring, the outbox, locks. */
  readonly state: string
  /** Created data worth keeping. */
  readonly data: string
}

/**
 * The folders: of the XDG variables (XDG Base Directory Specification 0.8), else the platform's: `~/.config`,
 * `~/.local/state` and `~/.local/share`; on macOS `~/Library/Application Support`; on Windows `%APPDATA%` for the
 * configuration and `%LOCALAPPDATA%` for the rest. The state folder is that of the SDK's outbox.
 *
 * Our own: env-paths 4 reads the XDG variables on Linux only, and only those of the process.
 *
 * @example
 * foldersOf({ platform: 'linux', env: {}, home: '/home/alex' }).config // '/home/alex/.config/fish-crab'
 */
export function foldersOf({ platform, env, home }: PlatformInfo): Folders {
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix
  const fallback = (): Folders => {
    if (platform === 'darwin') {
      const support = join(home, 'Library', 'Application Support')
      return { config: support, state: support, data: support }
    }
    if (platform === 'win32') {
      const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local')
      return { config: env.APPDATA || join(home, 'AppData', 'Roaming'), state: local, data: local }
    }
    return { config: join(home, '.config'), state: join(home, '.local', 'state'), data: join(home, '.local', 'share') }
  }
  // The specification: ignore a path that is not absolute.
  const given = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined)
  const { config, state, data } = fallback()
  return {
    config: join(given(env.XDG_CONFIG_HOME) ?? config, OWN_FOLDER),
    state: join(given(env.XDG_STATE_HOME) ?? state, OWN_FOLDER),
    data: join(given(env.XDG_DATA_HOME) ?? data, OWN_FOLDER),
  }
}

export function folders({ env }: Pick<Context, 'env'>): Folders {
  return foldersOf({ platform: process.platform, env, home: homeFolder(env) })
}

export function configPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).config, 'config.json')
}

/** The file of secrets, without a keyring. */
export function secretsPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).state, 'secrets.json')
}

/** The file whose lock serializes changes of the others. */
export function lockPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).state, 'changes.lock')
}

// Home of users without one in Debian's base-passwd. It does not exist and cannot be created.
const NO_HOME = '/nonexistent'

/**
 * The home folder: of the environment if it is an absolute path, else of the system. A user without one, as in containers,
 * gets a folder that does not exist, so that reading still works.
 *
 * @param lookUp Looks up the home folder; throws for an unknown user
 */
export function homeFolder(
  env: Env,
  platform: NodeJS.Platform = process.platform,
  lookUp: () => string = () => userInfo().homedir,
): string {
  const given = platform === 'win32' ? env.USERPROFILE : env.HOME
  const { isAbsolute } = platform === 'win32' ? path.win32 : path.posix
  if (given && isAbsolute(given)) return given
  try {
    return lookUp() || NO_HOME
  } catch {
    return NO_HOME
  }
}

// Required by the XDG Base Directory Specification 0.8.
const OWNER_ONLY_FOLDER = 0o700

/** The cache folder; `undefined` for an unknown user. */
export function cachePath(platform: NodeJS.Platform, { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'fish-cli', 'Cache')
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'fish-cli')
  if (!HOME?.startsWith('/')) return undefined
  return join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'fish-cli')
}

/**
 * Creates the folder of {@link cachePath} and its parent if needed; `undefined` when that fails. Node must not get a missing
 * folder: below /proc it would try forever to create it.
 */
export function cacheFolder(platform: NodeJS.Platform, env: Env): string | undefined {
  const folder = cachePath(platform, env)
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
