import { userInfo } from 'node:os'
import * as path from 'node:path'
import type { Env } from '../core/terminal.ts'

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
