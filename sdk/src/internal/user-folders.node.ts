import { posix, win32 } from 'node:path'

const OWN_FOLDER = 'fish-crab'

export interface PlatformInfo {
  /** A value of `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/** The folders of this project's programs. They may not exist. */
export interface UserFolders {
  /** Profiles and settings, which may be copied to another machine. */
  readonly config: string
  /** Data of this machine: the outbox, locks, and the secrets if there is no keyring. */
  readonly state: string
  /** Data created for the user, such as completion scripts. */
  readonly data: string
}

/**
 * Returns the folders in the XDG variables (XDG Base Directory Specification 0.8), or else the folders of the platform:
 * `~/.config`, `~/.local/state` and `~/.local/share`; on macOS `~/Library/Application Support`; on Windows `%APPDATA%`
 * for the configuration and `%LOCALAPPDATA%` for the rest.
 *
 * This replaces env-paths 4, which reads the XDG variables only on Linux and only from the environment of the process.
 */
export function userFolders({ platform, env, home }: PlatformInfo): UserFolders {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const fallback = (): UserFolders => {
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
  // The specification requires that relative paths are ignored.
  const given = (value: string | undefined) => (value && isAbsolute(value) ? value : undefined)
  const { config, state, data } = fallback()
  return {
    config: join(given(env.XDG_CONFIG_HOME) ?? config, OWN_FOLDER),
    state: join(given(env.XDG_STATE_HOME) ?? state, OWN_FOLDER),
    data: join(given(env.XDG_DATA_HOME) ?? data, OWN_FOLDER),
  }
}
