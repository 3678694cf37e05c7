import { DEFAULT_BASE_URL, GAMEMODES } from '@fish-crab/sdk'
import { Flags } from '@oclif/core'
import { FORMATS } from './output/format.ts'

/** `--profile`. */
export const profileFlag = {
  profile: Flags.string({ summary: 'The profile to use (FISH_PROFILE, else the current one).', helpValue: 'NAME' }),
}

/** Flags of every command that talks to a service. */
export const serviceFlags = {
  ...profileFlag,
  url: Flags.string({ summary: `Address of the service (FISH_URL, else ${DEFAULT_BASE_URL}).`, helpValue: 'URL' }),
  'max-wait': Flags.string({
    summary: 'Seconds to wait at most while the rate limit holds (FISH_MAX_WAIT, else one whole window).',
    helpValue: 'SECONDS',
    exclusive: ['no-wait'],
  }),
  'no-wait': Flags.boolean({ summary: 'Fail at once where the rate limit holds; the same as --max-wait 0.' }),
}

/** Flags of every command that prints rows. `--json` is the same as `--output json`. */
export const outputFlags = {
  output: Flags.string({
    char: 'o',
    summary: `Print as ${FORMATS.join(', ')}.`,
    helpValue: 'FORMAT',
    helpGroup: 'OUTPUT',
  }),
  fields: Flags.string({
    summary: 'Print only these, in this order; a wrong one lists what there is.',
    helpValue: 'A,B',
    helpGroup: 'OUTPUT',
  }),
  'no-pager': Flags.boolean({ summary: 'Never show long output in a pager (PAGER, else less).', helpGroup: 'OUTPUT' }),
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
    summary: 'Write to a new file that only you can read; - is stdout.',
    helpValue: 'FILE',
  }),
  force: Flags.boolean({ summary: 'Let --out replace a file that exists.' }),
}

/** `--dry-run`, of every command that changes something. */
export const dryRunFlag = {
  'dry-run': Flags.boolean({ summary: 'Say what would be done, and change nothing.', default: false }),
}

/** `--no-input`, of every command that may ask. */
export const noInputFlag = {
  'no-input': Flags.boolean({ summary: 'Never ask; fail where an answer is needed.' }),
}

/** `--yes` and `--no-input`, of every command that asks before it destroys. */
export const yesFlags = {
  yes: Flags.boolean({ char: 'y', summary: 'Do it without asking.' }),
  ...noInputFlag,
}
