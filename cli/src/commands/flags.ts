import { DEFAULT_BASE_URL, GAMEMODES } from '@fish-crab/sdk/constants'
import { FORMATS } from '../output/format.ts'
import { DEFAULT_INTERVAL_SECONDS } from '../poll/flags.ts'
import { type Completion, Flags, words } from './define.ts'

/** `--profile`. */
export const profileFlag = {
  profile: Flags.string({ summary: 'The profile to use (FISH_PROFILE, else the current one).', helpValue: 'NAME' }),
}

/** Flags of every command that talks to a service. */
export const serviceFlags = {
  ...profileFlag,
  url: Flags.string({ summary: `Address of the service (FISH_URL, else ${DEFAULT_BASE_URL}).`, helpValue: 'URL' }),
  'max-wait': Flags.string({
    summary: 'Wait at most so many seconds after too many requests (FISH_MAX_WAIT, else until more are allowed).',
    helpValue: 'SECONDS',
    exclusive: ['no-wait'],
  }),
  'no-wait': Flags.boolean({
    summary: 'Never wait after too many requests, but end with 75; the same as --max-wait 0.',
  }),
}

/** Flags of every command that prints rows. `--json` is the same as `--output json`. */
export const outputFlags = {
  output: Flags.string({
    char: 'o',
    summary: `How to print: ${FORMATS.join(', ')} (FISH_OUTPUT, else table).`,
    helpValue: 'FORMAT',
    helpGroup: 'OUTPUT',
  }),
  fields: Flags.string({
    summary: 'Print only these columns, in this order; a wrong name lists all there are.',
    helpValue: 'A,B',
    helpGroup: 'OUTPUT',
  }),
  raw: Flags.boolean({
    summary: "In CSV and TSV, write values as they are; else ' stands before those that a spreadsheet would run.",
    helpGroup: 'OUTPUT',
  }),
  'no-pager': Flags.boolean({ summary: 'Do not show long output in a pager (PAGER, else less).', helpGroup: 'OUTPUT' }),
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
  user: Flags.string({ char: 'u', summary: 'The player (FISH_USER, else that of the profile).', helpValue: 'USER' }),
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

/** `--dry-run`, of commands that change data. */
export const dryRunFlag = {
  'dry-run': Flags.boolean({ summary: 'Say what would be done, and change nothing.', default: false }),
}

/** `--dry-run`, of commands that log in as an administrator to plan a change. */
export const administrationDryRunFlag = {
  'dry-run': Flags.boolean({
    summary: 'Say what would be done, and change nothing; the service notes the login in its audit log.',
    default: false,
  }),
}

/** `--no-input`, of commands that may prompt. */
export const noInputFlag = {
  'no-input': Flags.boolean({ summary: 'Never ask; fail where an answer is needed.' }),
}

/** `--yes` and `--no-input`, of commands that confirm before they delete. */
export const yesFlags = {
  yes: Flags.boolean({ char: 'y', summary: 'Do it without asking.' }),
  ...noInputFlag,
}

/** `--watch` and `--interval`. */
export const watchFlags = {
  watch: Flags.boolean({ char: 'w', summary: 'Keep polling and show what changes; Ctrl-C to stop.' }),
  interval: Flags.string({
    summary: `Seconds between two polls with --watch (default ${DEFAULT_INTERVAL_SECONDS}); longer when the rate limit requires it.`,
    helpValue: 'SECONDS',
  }),
}

/** Completion of flags and arguments that several commands share, by name. */
export const SHARED_COMPLETION: Completion = {
  file: { paths: 'files' },
  gamemode: words(GAMEMODES),
  out: { paths: 'files' },
  profile: { local: 'profiles' },
  user: { local: 'users' },
}
