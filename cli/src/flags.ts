import { DEFAULT_BASE_URL, GAMEMODES } from '@fish-crab/sdk'
import { Flags } from '@oclif/core'

/** Flags of every command that talks to a service. */
export const serviceFlags = {
  url: Flags.string({ summary: `Address of the service (FISH_URL, else ${DEFAULT_BASE_URL}).`, helpValue: 'URL' }),
  'max-wait': Flags.string({
    summary: 'Seconds to wait at most while the rate limit holds (FISH_MAX_WAIT, else one whole window).',
    helpValue: 'SECONDS',
  }),
}

/** `--gamemode`. */
export const gamemodeFlag = {
  gamemode: Flags.string({
    char: 'g',
    summary: `Which collection: ${GAMEMODES.join(', ')} (FISH_GAMEMODE).`,
    helpValue: 'GAMEMODE',
  }),
}

/** `--user`. */
export const userFlag = {
  user: Flags.string({ char: 'u', summary: 'The player (FISH_USER).', helpValue: 'USER' }),
}

/** `--admin`. */
export const adminFlag = {
  admin: Flags.string({
    summary: 'The administrator to log in as (FISH_ADMIN_USERNAME, else admin).',
    helpValue: 'NAME',
  }),
}

/** `--out` and `--force`. */
export const secretFileFlags = {
  out: Flags.string({
    char: 'o',
    summary: 'Write to a new file that only you can read; - is stdout.',
    helpValue: 'FILE',
  }),
  force: Flags.boolean({ summary: 'Let --out replace a file that exists.' }),
}
