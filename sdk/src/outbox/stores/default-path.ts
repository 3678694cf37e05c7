import type * as NodePath from 'node:path'

/** What decides where an application keeps its state. */
export interface Surroundings {
  /** As `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/**
 * Where an outbox lies when no path is given: `$XDG_STATE_HOME/fish-crab/outbox.db`, by default below
 * `~/.local/state` (XDG Base Directory Specification 0.8); on macOS below `~/Library/Application Support`, on Windows
 * below `%LOCALAPPDATA%`.
 */
export function defaultOutboxPath(
  { platform, env, home }: Surroundings,
  { isAbsolute, join }: Pick<typeof NodePath, 'isAbsolute' | 'join'>,
): string {
  // The specification: a path that is not absolute is to be ignored.
  const xdg = env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME) ? env.XDG_STATE_HOME : undefined
  return join(xdg ?? stateHome({ platform, env, home }, join), 'fish-crab', 'outbox.db')
}

function stateHome({ platform, env, home }: Surroundings, join: (typeof NodePath)['join']): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local')
  return join(home, '.local', 'state')
}
