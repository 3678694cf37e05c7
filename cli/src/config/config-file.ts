import type { ChatTemplate } from '@fish-crab/sdk/chat'
import { userNameKey } from '@fish-crab/sdk/constants'
import type { Config, Context, Profile } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { parseJsonText } from '../core/parse-values.ts'
import { readTextFile, replaceFile } from './files.ts'
import { withLock } from './lock.ts'
import { configPath } from './paths.ts'
import { isProfileName, isSameService, PROFILE_FIELDS } from './profile.ts'
import { SETTINGS, type SettingKey } from './settings.ts'

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

function checkSettings(values: Record<string, unknown>, wrong: (what: string) => CliError): Config['settings'] {
  for (const key of Object.keys(SETTINGS) as SettingKey[]) {
    const value = values[key]
    if (value !== undefined && !(typeof value === 'string' && SETTINGS[key].accepts(value)))
      throw wrong(`the setting ${key} must be ${SETTINGS[key].rule}`)
  }
  return values as Config['settings']
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function readConfig(context: Pick<Context, 'env'>): Config {
  const path = configPath(context)
  const text = readTextFile(path)
  return text === undefined ? EMPTY_CONFIG : parseConfig(text, path)
}

/** Changes the configuration under a lock, so that changes by other processes are not lost. */
export function changeConfig(context: Pick<Context, 'env'>, change: (config: Config) => Config): Promise<Config> {
  return withLock(context, () => {
    const changed = change(readConfig(context))
    replaceFile(configPath(context), formatConfig(changed))
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
