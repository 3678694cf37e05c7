import { existsSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import * as path from 'node:path'
import { dirname, join } from 'node:path'
import type { Context, Env } from '../core/context.ts'

const OWN_FOLDER = 'fish-crab'

/** What decides where files belong. */
export interface PlatformInfo {
  /** As `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/** The folders of this program. They may not exist yet. */
interface Folders {
  /** What a person sets and may copy to another machine: profiles and settings. */
  readonly config: string
  /** What belongs to this machine: secrets without a keyring, the outbox, locks. */
  readonly state: string
  /** What was made and is worth keeping. */
  readonly data: string
}

/**
 * Where files belong: the XDG folders where their variables are set (XDG Base Directory Specification 0.8), else what
 * the platform is used to: `~/.config`, `~/.local/state` and `~/.local/share`; on macOS `~/Library/Application Support`;
 * on Windows `%APPDATA%` for the configuration and `%LOCALAPPDATA%` for the rest. The state folder is that of the SDK's outbox.
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
  // The specification: a path that is not absolute is to be ignored.
  const given = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined)
  const { config, state, data } = fallback()
  return {
    config: join(given(env.XDG_CONFIG_HOME) ?? config, OWN_FOLDER),
    state: join(given(env.XDG_STATE_HOME) ?? state, OWN_FOLDER),
    data: join(given(env.XDG_DATA_HOME) ?? data, OWN_FOLDER),
  }
}

/** The folders of a run. */
export function folders({ env }: Pick<Context, 'env'>): Folders {
  return foldersOf({ platform: process.platform, env, home: homeFolder(env) })
}

/** The file of profiles and settings. */
export function configPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).config, 'config.json')
}

/** The file of secrets, where no keyring keeps them. */
export function secretsPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).state, 'secrets.json')
}

/** The file whose lock lets one process at a time change the others. */
export function lockPath(context: Pick<Context, 'env'>): string {
  return path.join(folders(context).state, 'changes.lock')
}

// Where Debian's base-passwd lets users live that have no home. Nothing is there, and nothing can be made there.
const NO_HOME = '/nonexistent'

/**
 * The user's home folder: that of the environment where it is an absolute path, else the one that the system knows.
 * A user without any, as containers have them, gets one that does not exist: what only reads works all the same.
 *
 * @param lookUp What the system knows; throws when it does not know this user.
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

// What the XDG Base Directory Specification 0.8 asks for.
const OWNER_ONLY_FOLDER = 0o700

/** Where this user keeps what can be made again; `undefined` when nobody says who it is. */
export function cachePath(platform: NodeJS.Platform, { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'fish-cli', 'Cache')
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'fish-cli')
  if (!HOME?.startsWith('/')) return undefined
  return join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'fish-cli')
}

/**
 * The folder of {@link cachePath}, which is there: where it is missing, it and the one above are made. `undefined` when
 * it cannot be there. Whoever is given a folder that is missing may try for ever to make it, as Node does below /proc.
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
