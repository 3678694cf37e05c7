import { createHash } from 'node:crypto'
import { isAbsolute, join } from 'node:path'

/** What decides where an application keeps its state. */
export interface Surroundings {
  /** As `process.platform`. */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user's home folder. */
  readonly home: string
}

/** Where the outbox of a service lies when no path is given. */
export interface DefaultPaths {
  readonly own: string
  /** That of all services, in versions that did not tell them apart. */
  readonly former: string
}

/**
 * A file for each service in `$XDG_STATE_HOME/fish-crab`, by default below `~/.local/state` (XDG Base Directory
 * Specification 0.8); on macOS below `~/Library/Application Support`, on Windows below `%LOCALAPPDATA%`.
 */
export function defaultPaths(service: string, surroundings: Surroundings): DefaultPaths {
  const { XDG_STATE_HOME: given } = surroundings.env
  // The specification: a path that is not absolute is to be ignored.
  const state = given && isAbsolute(given) ? given : stateHome(surroundings)
  const host = new URL(service).host.replace(/[^a-z\d.-]+/g, '-').slice(0, 64)
  const hash = createHash('sha256').update(service).digest('hex').slice(0, 8)
  const inFolder = (name: string) => join(state, 'fish-crab', name)
  return { own: inFolder(`outbox-${host}-${hash}.db`), former: inFolder('outbox.db') }
}

function stateHome({ platform, env, home }: Surroundings): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local')
  return join(home, '.local', 'state')
}
