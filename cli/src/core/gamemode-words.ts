import { GAMEMODES } from '@fish-crab/sdk/constants'

/** What is told where a name is no gamemode, after where it stands. */
export const NO_SUCH_GAMEMODE = 'there is no such gamemode.'

/** What can be typed instead. */
export const GAMEMODE_LIST = `Gamemodes: ${GAMEMODES.join(', ')}`
