import { basename, posix, win32 } from 'node:path'
import { GAMEMODES } from '@fish-crab/sdk'
import { SETTINGS } from '@fish-crab/server'
import { userFolders } from '../../sdk/src/internal/user-folders.node.ts'
import { type Command, globalFlags } from '../src/kit/define.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { argLabel, usageOf } from '../src/program/help.ts'
import { configPath, secretsPath } from '../src/session/paths.ts'

export interface FlagPage {
  readonly name: string
  readonly char: string | undefined
  /** The placeholder of the flag's value, or `undefined` for a boolean flag. */
  readonly value: string | undefined
  readonly summary: string
  readonly fallback: string | undefined
  readonly required: boolean
  /** Whether the flag works with all commands. `fish-cli help flags` explains such flags. */
  readonly isGlobal: boolean
}

export interface ExamplePage {
  readonly description: string | undefined
  readonly command: string
}

export interface CommandPage {
  readonly id: string
  /** The words to type, such as `fish-cli user create`. */
  readonly title: string
  readonly group: string
  readonly summary: string
  /** The paragraphs of the description, each as its lines. The lines are not wrapped. */
  readonly description: readonly (readonly string[])[]
  readonly usage: string
  readonly args: readonly { readonly label: string; readonly description: string }[]
  readonly flags: readonly FlagPage[]
  readonly examples: readonly ExamplePage[]
}

/** Returns the pages of all commands, in the order of the groups. */
export async function commandPages(): Promise<readonly CommandPage[]> {
  const commands = await COMMANDS.load()
  return COMMANDS.groups.flatMap(({ name, ids }) => ids.map((id) => pageOf(id, commands[id] as Command, name)))
}

function pageOf(id: string, { summary, description, args, flags, examples }: Command, group: string): CommandPage {
  return {
    id,
    title: `fish-cli ${id.replaceAll(':', ' ')}`,
    group,
    summary,
    description: description?.split(/\n{2,}/).map((paragraph) => paragraph.split('\n')) ?? [],
    usage: usageOf(id, args),
    args: Object.entries(args).map(([name, arg]) => ({
      label: argLabel(name, arg),
      description: arg.description ?? '',
    })),
    flags: Object.entries<Command['flags'][string]>({ ...flags, ...globalFlags })
      .filter(([, { hidden }]) => !hidden)
      .map(([name, flag]) => flagPage(name, flag))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    examples: examples.map((example) =>
      typeof example === 'string' ? { description: undefined, command: example } : example,
    ),
  }
}

function flagPage(name: string, flag: Command['flags'][string]): FlagPage {
  const isOption = flag.type === 'option'
  const { helpValue = 'VALUE', multiple = false } = isOption ? flag : {}
  return {
    name,
    char: flag.char,
    value: isOption ? `${[helpValue].flat().join(' ')}${multiple ? '...' : ''}` : undefined,
    summary: flag.summary ?? '',
    fallback: isOption && typeof flag.default === 'string' ? flag.default : undefined,
    required: flag.required === true,
    isGlobal: flag.helpGroup !== undefined,
  }
}

/** An environment variable of the program. */
export interface Variable {
  readonly name: string
  readonly meaning: string
  /** Whether `NAME_FILE` may point to a file with the value instead. */
  readonly file?: boolean
}

/** The environment variables of the commands. {@link SERVER_VARIABLES} lists the settings of `serve`. */
export const VARIABLES: readonly Variable[] = [
  { name: 'FISH_URL', meaning: 'Address of the service.' },
  { name: 'FISH_PROFILE', meaning: 'The profile to use.' },
  { name: 'FISH_USER', meaning: 'The player.' },
  { name: 'FISH_GAMEMODE', meaning: `The gamemode: ${GAMEMODES.join(', ')}.` },
  { name: 'FISH_KEY', meaning: "The player's key, which encrypts catches.", file: true },
  { name: 'FISH_PASSWORD', meaning: "The player's password, for the commands login and key.", file: true },
  { name: 'FISH_API_KEY', meaning: 'An API key, which lifts the rate limit.', file: true },
  { name: 'FISH_ADMIN_USERNAME', meaning: 'The administrator to log in as (default admin).' },
  {
    name: 'FISH_ADMIN_PASSWORD',
    meaning: "The administrator's password, if no session is stored.",
    file: true,
  },
  {
    name: 'FISH_NEW_PASSWORD',
    meaning: 'The new password for `password`, `admin create` and `admin reset-password`.',
    file: true,
  },
  {
    name: 'FISH_MASTER_API_KEY',
    meaning: 'An API key of the server that lifts the rate limit for every client.',
    file: true,
  },
  { name: 'FISH_MAX_WAIT', meaning: 'Longest wait when rate limited, in seconds.' },
  { name: 'FISH_ENCODING', meaning: 'Encoding of game logs that are neither UTF-8 nor UTF-16, such as cp936.' },
  {
    name: 'FISH_NOTIFY',
    meaning:
      'Rarities for which the command watch rings the bell, and first for new species, such as gold,mythical,first.',
  },
  {
    name: 'FISH_SECRET_STORE',
    meaning: 'Where login stores secrets: auto, keyring or file.',
  },
  { name: 'FISH_STORAGE', meaning: 'Address of the storage of a server.' },
  { name: 'FISH_SECRET', meaning: 'Secret that encrypts the stored keys of players.' },
  { name: 'FISH_SECRET_PREVIOUS', meaning: 'The previous secret, or several as a JSON array of strings.' },
  { name: 'SHELL', meaning: 'Default shell for completion.' },
  { name: 'PAGER', meaning: 'Pager for long output; an empty value or cat turns the pager off.' },
  { name: 'NO_COLOR', meaning: 'Turns colours off, unless the value is empty.' },
  { name: 'FORCE_COLOR', meaning: 'Turns colours on, even if the output is not a terminal.' },
  {
    name: 'HTTP_PROXY',
    meaning: 'Proxy for requests to http:// addresses, such as proxy.example.org:3128; none for no proxy.',
  },
  { name: 'HTTPS_PROXY', meaning: 'Proxy for requests to https:// addresses; without it, HTTP_PROXY is used.' },
  { name: 'NO_PROXY', meaning: 'Comma-separated hosts, domains and subnets to connect to without a proxy; * for all.' },
  { name: 'XDG_CONFIG_HOME', meaning: 'Folder of configuration files.' },
  { name: 'XDG_STATE_HOME', meaning: 'Folder of secrets and of the outbox.' },
]

/** The environment variables that configure the server. */
export const SERVER_VARIABLES: readonly Variable[] = Object.values(SETTINGS).map(({ env, summary }) => ({
  name: env,
  meaning: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
}))

/** A file that commands read or write, with its path for each operating system. */
interface FilePage {
  readonly meaning: string
  readonly linux: string
  readonly macos: string
  readonly windows: string
}

const NOWHERE = { env: {} }
const LINUX = userFolders({ platform: 'linux', env: {}, home: '~' })
const MACOS = userFolders({ platform: 'darwin', env: {}, home: '~' })
const WINDOWS = userFolders({
  platform: 'win32',
  env: { APPDATA: '%APPDATA%', LOCALAPPDATA: '%LOCALAPPDATA%' },
  home: '',
})

export const FILES: readonly FilePage[] = [
  file('config', basename(configPath(NOWHERE)), 'Profiles and settings. No secrets.'),
  file('state', basename(secretsPath(NOWHERE)), 'Secrets, if there is no system keyring. Only its owner can read it.'),
  file('state', 'outbox-*.db', 'Catches waiting to be sent, one file for each service.'),
]

function file(folder: 'config' | 'state', name: string, meaning: string): FilePage {
  return {
    meaning,
    linux: posix.join(LINUX[folder], name),
    macos: posix.join(MACOS[folder], name),
    windows: win32.join(WINDOWS[folder], name),
  }
}
