import * as path from 'node:path'
import type { Io } from '../core/io.ts'
import { homeFolder } from './home-folder.ts'

const OWN_FOLDER = 'fish-crab'

/** What decides where files belong. */
export interface Surroundings {
  /** As `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/** The folders of this program. They may not exist yet. */
export interface Folders {
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
export function foldersOf({ platform, env, home }: Surroundings): Folders {
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
export function folders({ env }: Pick<Io, 'env'>): Folders {
  return foldersOf({ platform: process.platform, env, home: homeFolder(env) })
}

/** The file of profiles and settings. */
export function configPath(io: Pick<Io, 'env'>): string {
  return path.join(folders(io).config, 'config.json')
}

/** The file of secrets, where no keyring keeps them. */
export function secretsPath(io: Pick<Io, 'env'>): string {
  return path.join(folders(io).state, 'secrets.json')
}

/** The file whose lock lets one process at a time change the others. */
export function lockPath(io: Pick<Io, 'env'>): string {
  return path.join(folders(io).state, 'changes.lock')
}
