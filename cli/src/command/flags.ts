import { DEFAULT_BASE_URL, GAMEMODES } from '@fish-crab/sdk/constants'
import { FORMATS } from '../core/format.ts'
import { type Completion, Flags } from './define.ts'

export const profileFlag = {
  profile: Flags.string({ summary: 'The profile to use (FISH_PROFILE, else the current one).', helpValue: 'NAME' }),
}

export const addressFlags = {
  ...profileFlag,
  url: Flags.string({ summary: `Address of the service (FISH_URL, else ${DEFAULT_BASE_URL}).`, helpValue: 'URL' }),
}

export const serviceFlags = {
  ...addressFlags,
  'max-wait': Flags.string({
    summary: 'Seconds to wait at most when rate limited (FISH_MAX_WAIT, else as long as needed).',
    helpValue: 'SECONDS',
    exclusive: ['no-wait'],
  }),
  'no-wait': Flags.boolean({ summary: 'Do not wait when rate limited, but exit with 75; same as --max-wait 0.' }),
}

export const outputFlags = {
  output: Flags.string({
    char: 'o',
    summary: `Output format: ${FORMATS.join(', ')} (FISH_OUTPUT, else table).`,
    helpValue: 'FORMAT',
    helpGroup: 'OUTPUT',
  }),
  fields: Flags.string({
    summary: 'Print only these columns, in this order; an unknown name lists all columns.',
    helpValue: 'A,B',
    helpGroup: 'OUTPUT',
  }),
  raw: Flags.boolean({
    summary: "Do not prefix CSV and TSV values that a spreadsheet would run as formulas with '.",
    helpGroup: 'OUTPUT',
  }),
  'no-pager': Flags.boolean({ summary: 'Do not show long output in a pager (PAGER, else less).', helpGroup: 'OUTPUT' }),
}

export const gamemodeFlag = {
  gamemode: Flags.string({
    char: 'g',
    summary: `Gamemode of the collection, usually ${GAMEMODES.join(', ')} (FISH_GAMEMODE).`,
    helpValue: 'GAMEMODE',
  }),
}

export const userFlag = {
  user: Flags.string({
    char: 'u',
    summary: 'The player (FISH_USER, else the player of the profile).',
    helpValue: 'USER',
  }),
}

export const adminFlag = {
  admin: Flags.string({
    summary: 'The administrator to log in as (FISH_ADMIN_USERNAME, else admin).',
    helpValue: 'NAME',
  }),
}

export const secretFileFlags = {
  out: Flags.string({ summary: 'Write to a new file that only you can read; - for stdout.', helpValue: 'FILE' }),
  force: Flags.boolean({ summary: 'Let --out replace an existing file.' }),
}

export const dryRunFlag = {
  'dry-run': Flags.boolean({ summary: 'Print what would be done, and change nothing.', default: false }),
}

export const toGamemodeFlag = {
  gamemode: Flags.string({ char: 'g', summary: 'Gamemode to move to.', helpValue: 'GAMEMODE' }),
}

export const fromFlag = {
  from: Flags.string({
    summary: 'Gamemode to move from (FISH_GAMEMODE, else that of the profile).',
    helpValue: 'GAMEMODE',
  }),
}

export const passwordStdinFlag = { 'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }) }

export const noInputFlag = { 'no-input': Flags.boolean({ summary: 'Never prompt; fail if input is needed.' }) }

export const yesFlags = { yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation.' }), ...noInputFlag }

export const SHARED_COMPLETION: Completion = {
  file: { paths: 'files' },
  from: { local: 'gamemodes' },
  gamemode: { local: 'gamemodes' },
  out: { paths: 'files' },
  profile: { local: 'profiles' },
  user: { local: 'users' },
}
