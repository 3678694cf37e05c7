import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { usageError } from './errors.ts'

export const NO_SUCH_GAMEMODE = 'unknown gamemode.'

export const GAMEMODE_LIST = `Gamemodes: ${GAMEMODES.join(', ')}`

/**
 * Parses the name of a gamemode, in any letter case.
 *
 * @param from Where the name comes from, such as `--gamemode`
 * @throws CliError that lists the gamemodes and suggests the closest one
 * @example parseGamemode('EARTH', '--gamemode') // 'earth'
 */
export function parseGamemode(name: string, from: string): Gamemode {
  const gamemode = name.toLowerCase()
  if (isGamemode(gamemode)) return gamemode
  const meant = closestWord(gamemode, GAMEMODES)
  const hint = meant === undefined ? GAMEMODE_LIST : `Did you mean: ${meant}? ${GAMEMODE_LIST}`
  throw usageError(`${from}: ${NO_SUCH_GAMEMODE}`, hint)
}
