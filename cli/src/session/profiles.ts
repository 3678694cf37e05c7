import type { ChatTemplate } from '@fish-crab/sdk/chat'
import { isGamemode, userNameKey } from '@fish-crab/sdk/constants'
import { isOnlyLocal } from '../../../server/web/src/admin/data/local-address.ts'
import { commandLine } from '../core/argv.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { isSameService, isServiceUrl, parseJsonText } from '../core/parse-values.ts'
import type { System } from '../core/system.ts'
import { readTextFile, replaceFile } from './files.ts'
import { configPath } from './paths.ts'
import { SETTINGS, type SettingKey, type Settings } from './settings.ts'

export interface Profile {
  readonly url: string
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  readonly admin?: string | undefined
  readonly secrets?: 'keyring' | 'file' | undefined
}

export interface Config {
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, Profile>
  /** Messages that `watch` recognizes besides the messages of the game. */
  readonly patterns: readonly ChatTemplate[]
  readonly settings: Settings
}

const isText = (value: string) => value !== ''

/** Rules for the configuration file. Only `url` is required. The SDK validates user names. */
const PROFILE_FIELDS: Readonly<Record<keyof Profile, (value: string) => boolean>> = {
  url: isServiceUrl,
  user: isText,
  gamemode: isGamemode,
  admin: isText,
  secrets: (value) => value === 'keyring' || value === 'file',
}

export const DEFAULT_PROFILE = 'default'

function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name)
}

/** The error does not quote the name, which may be a secret. */
export function parseProfileName(name: string): string {
  if (isProfileName(name)) return name
  throw usageError(
    'Invalid profile name.',
    'Use 1 to 32 characters of A-Z, a-z, 0-9, ".", "_" and "-", starting with a letter or digit.',
  )
}

/** Quotes only a valid name, because an invalid name may be a secret. */
export function profileNotFound(name: string, known: Iterable<string>): CliError {
  const names = [...known]
  const message = isProfileName(name) ? `Unknown profile ${name}.` : 'Unknown profile.'
  const login = commandLine('login', '--profile', isProfileName(name) ? name : 'NAME')
  const hint = names.length > 0 ? `Profiles: ${names.join(', ')}.` : `Create one: ${login}`
  return new CliError({ code: 'profile_not_found', message, hint, exit: EXIT.notFound })
}

/** Whether a connection to this address sends secrets in clear text over a network. */
export function isUnencrypted(url: string): boolean {
  return URL.parse(url)?.protocol === 'http:' && !isOnlyLocal(url)
}

const FORMAT_VERSION = 1

export const EMPTY_CONFIG: Config = { current: undefined, profiles: new Map(), patterns: [], settings: {} }

function parseConfig(text: string, path: string): Config {
  const wrong = (what: string) =>
    new CliError({
      code: 'invalid_config',
      message: `The configuration ${path} cannot be used: ${what}.`,
      hint: 'Correct the file. Or move it away and log in again: fish-cli login',
      exit: EXIT.usage,
    })
  const document = parseJsonText(text)
  if (!isRecord(document)) throw wrong('it is not a JSON object')
  if (typeof document.version === 'number' && document.version > FORMAT_VERSION) {
    throw new CliError({
      code: 'config_too_new',
      message: `A newer fish-cli wrote the configuration ${path}. Nothing was changed.`,
      hint: 'Update fish-cli, or set XDG_CONFIG_HOME to another folder.',
      exit: EXIT.usage,
    })
  }
  if (document.version !== FORMAT_VERSION) throw wrong('its version is missing or wrong')
  const { current, profiles = {}, patterns = [], settings = {} } = document
  if (!isRecord(profiles)) throw wrong('profiles must be an object')
  if (!isRecord(settings)) throw wrong('settings must be an object')
  // The content of patterns is checked where the patterns are used.
  if (!Array.isArray(patterns) || !patterns.every(isRecord)) throw wrong('patterns must be a list of objects')
  const read = Object.entries(profiles).map(([name, value]): [string, Profile] => {
    if (!isProfileName(name)) throw wrong('a profile has an invalid name')
    return [name, profileOf(value, (what) => wrong(`profile ${name}: ${what}`))]
  })
  if (current !== undefined && (typeof current !== 'string' || !Object.hasOwn(profiles, current)))
    throw wrong('current does not name a profile')
  return {
    current,
    profiles: new Map(read),
    patterns: patterns as unknown as ChatTemplate[],
    settings: checkSettings(settings, wrong),
  }
}

function formatConfig({ current, profiles, patterns, settings }: Config): string {
  const own = patterns.length > 0 ? { patterns } : {}
  const document = { version: FORMAT_VERSION, current, profiles: Object.fromEntries(profiles), ...own, settings }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function profileOf(value: unknown, wrong: (what: string) => CliError): Profile {
  if (!isRecord(value)) throw wrong('it must be an object')
  for (const [field, accepts] of Object.entries(PROFILE_FIELDS)) {
    const content = value[field]
    if (content === undefined ? field === 'url' : !(typeof content === 'string' && accepts(content)))
      throw wrong(`${field} is missing or wrong`)
  }
  return value as unknown as Profile
}

function checkSettings(values: Record<string, unknown>, wrong: (what: string) => CliError): Settings {
  for (const key of Object.keys(SETTINGS) as SettingKey[]) {
    const value = values[key]
    if (value !== undefined && !(typeof value === 'string' && SETTINGS[key].accepts(value)))
      throw wrong(`the setting ${key} must be ${SETTINGS[key].rule}`)
  }
  return values as Settings
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readConfig(system: Pick<System, 'env'>): Config {
  const path = configPath(system)
  const text = readTextFile(path)
  return text === undefined ? EMPTY_CONFIG : parseConfig(text, path)
}

/** Changes the configuration under a lock, so that changes by other processes are not lost. */
export async function changeConfig(system: Pick<System, 'env'>, change: (config: Config) => Config): Promise<Config> {
  const { withLock } = await import('./lock.ts')
  return withLock(system, () => {
    const changed = change(readConfig(system))
    replaceFile(configPath(system), formatConfig(changed))
    return changed
  })
}

export type LoginTarget = Pick<Profile, 'url' | 'user' | 'gamemode' | 'admin'>

export function replacesLogin(profile: Profile | undefined, login: LoginTarget): boolean {
  if (!profile) return false
  return (
    !isSameService(profile.url, login.url) ||
    isDifferent(profile.user, login.user) ||
    isDifferent(profile.admin, login.admin)
  )
}

/** Saves a login in a profile. Fields that the login does not set stay unchanged, unless the service changes. */
export function applyLogin(config: Config, name: string, login: LoginTarget): Config {
  const old = config.profiles.get(name)
  const isElsewhere = old !== undefined && !isSameService(old.url, login.url)
  const base = isElsewhere ? { secrets: old.secrets } : old
  const given = Object.fromEntries(Object.entries(login).filter(([, value]) => value !== undefined))
  const profile: Profile = { ...base, ...given, url: login.url }
  return { ...config, current: name, profiles: new Map(config.profiles).set(name, profile) }
}

function isDifferent(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && userNameKey(one) !== userNameKey(other)
}
