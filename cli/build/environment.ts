import { GAMEMODES } from '@fish-crab/sdk'
import { SETTINGS } from '@fish-crab/server'
import type { CommandPage } from './command-pages.ts'

/** An environment variable of the program. */
export interface Variable {
  readonly name: string
  readonly meaning: string
  /** Whether `NAME_FILE` may point to a file with the value instead. */
  readonly file?: boolean
  /** A command with all of these flags hears it, also where its help does not name it; none: every command. */
  readonly flags?: readonly string[]
}

// A flag of every command that sends requests.
const SERVICE = 'no-wait'
const SERVER = 'serve'

/** What commands hear. The server has its own, see {@link SERVER_VARIABLES}. */
export const VARIABLES: readonly Variable[] = [
  { name: 'FISH_URL', meaning: 'Address of the service.', flags: ['url', 'profile'] },
  { name: 'FISH_PROFILE', meaning: 'The profile to use.', flags: ['profile'] },
  { name: 'FISH_USER', meaning: 'The player.', flags: ['user'] },
  { name: 'FISH_GAMEMODE', meaning: `The gamemode: ${GAMEMODES.join(', ')}.` },
  { name: 'FISH_KEY', meaning: "The player's key, which encrypts catches.", file: true },
  { name: 'FISH_PASSWORD', meaning: "The player's password, to get the key.", file: true },
  { name: 'FISH_API_KEY', meaning: 'An API key, which lifts the rate limit.', file: true, flags: [SERVICE] },
  { name: 'FISH_ADMIN_USERNAME', meaning: 'The administrator to log in as; admin when not set.' },
  {
    name: 'FISH_ADMIN_PASSWORD',
    meaning: "The administrator's password, where no session is kept.",
    file: true,
    flags: ['admin', SERVICE],
  },
  { name: 'FISH_NEW_ADMIN_PASSWORD', meaning: 'The password of a new administrator.', file: true },
  { name: 'FISH_MASTER_API_KEY', meaning: 'The API key that lifts the rate limit for whoever sends it.', file: true },
  { name: 'FISH_MAX_WAIT', meaning: 'Seconds to wait at most after too many requests.' },
  {
    name: 'FISH_OUTPUT',
    meaning: 'What --output is where it is not given; json goes for failures too.',
    flags: ['fields'],
  },
  {
    name: 'FISH_SECRET_STORE',
    meaning: 'Where login keeps secrets: auto, keyring or file.',
    flags: ['with-api-key'],
  },
  { name: 'FISH_STORAGE', meaning: 'Where the data of a server is.' },
  { name: 'FISH_SECRET', meaning: 'Encrypts the keys of players where they are stored.' },
  { name: 'FISH_SECRET_PREVIOUS', meaning: 'The secret before this one, or several as a JSON array of strings.' },
  { name: 'SHELL', meaning: 'Names the shell that is completed.' },
  { name: 'PAGER', meaning: 'Shows what is longer than the screen; empty or cat turns that off.', flags: ['no-pager'] },
  { name: 'NO_COLOR', meaning: 'No colours, when it is not empty.', flags: [] },
  { name: 'FORCE_COLOR', meaning: 'Colours also where the output is no terminal.', flags: [] },
  { name: 'HTTP_PROXY', meaning: 'Proxy for requests to http:// addresses.', flags: [SERVICE] },
  { name: 'HTTPS_PROXY', meaning: 'Proxy for requests to https:// addresses.', flags: [SERVICE] },
  { name: 'NO_PROXY', meaning: 'Hosts that are reached without a proxy, separated by commas.', flags: [SERVICE] },
  { name: 'XDG_CONFIG_HOME', meaning: 'Folder of configuration files.', flags: ['profile'] },
  { name: 'XDG_STATE_HOME', meaning: 'Folder of secrets and of the outbox.', flags: ['profile'] },
]

/** What `serve` hears beside its flags' variables and those of every command. */
export const SERVER_VARIABLES: readonly Variable[] = Object.values(SETTINGS).map(({ env, summary }) => ({
  name: env,
  meaning: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
}))

/** The variables that a command hears: those that its help names, and those that go with its flags. */
export function variablesOf({ id, description, args, flags }: CommandPage): readonly Variable[] {
  if (id === SERVER) return [...SERVER_VARIABLES, ...VARIABLES.filter((each) => each.flags?.length === 0)]
  const names = new Set(flags.map(({ name }) => name))
  const text = [
    ...description.flat(),
    ...args.map((arg) => arg.description),
    ...flags.map(({ summary }) => summary),
  ].join('\n')
  return VARIABLES.filter(
    (variable) =>
      new RegExp(`\\b${variable.name}\\b`).test(text) || variable.flags?.every((flag) => names.has(flag)) === true,
  )
}
