import { ACCOUNT_LIMITS, DEFAULT_BASE_URL, GAMEMODES } from '@fish-crab/sdk/constants'
import { parseWholeNumber } from '../core/parse-values.ts'
import { type Completion, Flags } from './define.ts'

export const profileFlag = {
  profile: Flags.string({
    summary: 'The profile to use (FISH_PROFILE, else the current profile).',
    helpValue: 'NAME',
    helpGroup: 'GLOBAL',
  }),
}

export const debugFlag = {
  debug: Flags.boolean({
    summary: 'Print the method, path, status and time of each request to stderr.',
    helpGroup: 'GLOBAL',
  }),
}

export const addressFlags = {
  ...profileFlag,
  ...debugFlag,
  url: Flags.string({
    summary: `Address of the service (FISH_URL, else ${DEFAULT_BASE_URL}).`,
    helpValue: 'URL',
    helpGroup: 'GLOBAL',
  }),
}

export const serviceFlags = {
  ...addressFlags,
  'max-wait': Flags.string({
    summary: 'Longest wait for the rate limit, in seconds; 0 never waits (FISH_MAX_WAIT).',
    helpValue: 'SECONDS',
    helpGroup: 'GLOBAL',
  }),
}

export const outputFlags = {
  csv: Flags.boolean({ summary: 'Print CSV, for a spreadsheet.', helpGroup: 'GLOBAL', exclusive: ['json'] }),
}

export const gamemodeFlag = {
  gamemode: Flags.string({
    char: 'g',
    summary: `Gamemode of the collection, such as ${GAMEMODES.join(', ')} (FISH_GAMEMODE).`,
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

const { linkHours, maxLinkHours } = ACCOUNT_LIMITS

export const hoursFlag = {
  hours: Flags.string({
    summary: `Lifetime of the link, 1 to ${maxLinkHours} hours (default ${linkHours}).`,
    helpValue: 'N',
  }),
}

export function parseHours(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseWholeNumber('--hours', text, 1, maxLinkHours)
}

export const dryRunFlag = {
  'dry-run': Flags.boolean({ summary: 'Show the planned changes, and change nothing.', default: false }),
}

export const toGamemodeFlag = {
  gamemode: Flags.string({ char: 'g', summary: 'Gamemode to move to.', helpValue: 'GAMEMODE' }),
}

export const fromFlag = {
  from: Flags.string({
    summary: 'Gamemode to move from (FISH_GAMEMODE, else the gamemode of the profile).',
    helpValue: 'GAMEMODE',
  }),
}

export const passwordStdinFlag = { 'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }) }

export const noInputFlag = { 'no-input': Flags.boolean({ summary: 'Never prompt; fail if input is needed.' }) }

/** The flags of commands that log in as an administrator. */
export const administrationFlags = { ...adminFlag, ...serviceFlags, ...noInputFlag }

export const yesFlags = { yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation.' }), ...noInputFlag }

export const SHARED_COMPLETION: Completion = {
  file: { paths: 'files' },
  from: { local: 'gamemodes' },
  gamemode: { local: 'gamemodes' },
  out: { paths: 'files' },
  profile: { local: 'profiles' },
  user: { local: 'users' },
}
