import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import { closestWord } from './closest-word.ts'
import { usageError } from './errors.ts'

/** What is told where a name is no gamemode, after where it stands. */
export const NO_SUCH_GAMEMODE = 'there is no such gamemode.'

/** What can be typed instead. */
export const GAMEMODE_LIST = `Gamemodes: ${GAMEMODES.join(', ')}`

/**
 * The gamemode of a name, in any letter case.
 *
 * @param from Where the name stands, such as `--gamemode`.
 * @throws CliError that lists the gamemodes, and names the one that was probably meant
 * @example gamemodeNamed('EARTH', '--gamemode') // 'earth'
 */
export function parseGamemode(name: string, from: string): Gamemode {
  const gamemode = name.toLowerCase()
  if (isGamemode(gamemode)) return gamemode
  const meant = closestWord(gamemode, GAMEMODES)
  const hint = meant === undefined ? GAMEMODE_LIST : `Did you mean: ${meant}? ${GAMEMODE_LIST}`
  throw usageError(`${from}: ${NO_SUCH_GAMEMODE}`, hint)
}
