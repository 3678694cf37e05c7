import { GAMEMODES, type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import type { Selection } from '../config/selection.ts'
import { usageError } from '../core/cli-error.ts'
import { GAMEMODE_LIST, NO_SUCH_GAMEMODE } from '../core/gamemode-words.ts'
import { closestWord } from '../help/closest.ts'

/**
 * The gamemode of a name, in any letter case.
 *
 * @param from Where the name stands, such as `--gamemode`.
 * @throws CliError that lists the gamemodes, and names the one that was probably meant
 * @example gamemodeNamed('EARTH', '--gamemode') // 'earth'
 */
export function gamemodeNamed(name: string, from: string): Gamemode {
  const gamemode = name.toLowerCase()
  if (isGamemode(gamemode)) return gamemode
  const meant = closestWord(gamemode, GAMEMODES)
  const hint = meant === undefined ? GAMEMODE_LIST : `Did you mean: ${meant}? ${GAMEMODE_LIST}`
  throw usageError(`${from}: ${NO_SUCH_GAMEMODE}`, hint)
}

/** The gamemode that flags, environment or configuration say, if any does. @throws CliError when there is none of that name */
export function chosenGamemode(chosen: Selection['gamemode']): Gamemode | undefined {
  if (!chosen?.value) return undefined
  return gamemodeNamed(chosen.value, SOURCES[chosen.from])
}

const SOURCES = {
  flag: '--gamemode',
  environment: 'FISH_GAMEMODE',
  profile: 'The gamemode of the profile',
  setting: 'The gamemode that was set',
  default: 'The gamemode',
} as const
