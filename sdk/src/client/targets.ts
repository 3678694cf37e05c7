import { GAMEMODES, type Gamemode, isGamemode } from '../contract/gamemodes.ts'
import { isUserName, USER_NAME_RULE } from '../contract/names.ts'
import type { Issue } from '../errors/fish-crab-error.ts'

/** Which collection a call is about. */
export interface Target {
  /** Whose. @default the client's `user` */
  readonly user?: string | undefined
  /** In which gamemode; other text than a gamemode's name is refused. @default the client's `gamemode` */
  readonly gamemode?: Gamemode | (string & {}) | undefined
}

/** The collection a call means, by itself or by the client's options. What is missing or wrong is added to `issues`. */
export function readTarget(call: Target, client: Target, issues: Issue[]): { user: string; gamemode: string } {
  const user = call.user ?? client.user
  const gamemode = call.gamemode ?? client.gamemode
  if (user === undefined) {
    issues.push({ path: 'user', message: 'Say whose collection: give the call or createClient the option user.' })
  } else if (!isUserName(user)) {
    const message = `Must be ${USER_NAME_RULE}: no user can have another name.`
    issues.push({ path: 'user', message })
  }
  if (gamemode === undefined) {
    const message = `Say which gamemode (${GAMEMODES.join(', ')}): give the call or createClient the option gamemode.`
    issues.push({ path: 'gamemode', message })
  } else if (!isGamemode(gamemode)) {
    issues.push({ path: 'gamemode', message: `Must be one of ${GAMEMODES.join(', ')}, in lower case.` })
  }
  return { user: user ?? '', gamemode: gamemode ?? '' }
}
