import { userNameKey } from '@fish-crab/sdk/constants'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { checkReplaceable, fileError, readTextFile, replaceFile } from './files.ts'
import { withLock, withLockChecked } from './lock.ts'
import { configPath } from './paths.ts'
import { isProfileName, isSameService, PROFILE_FIELDS, type Profile } from './profile.ts'
import { SETTINGS, type SettingKey, type SettingValues, settingValue } from './settings.ts'

const FORMAT_VERSION = 1

/** What the configuration file holds. */
export interface ConfigDocument {
  /** The profile that is used when none is named. */
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, Profile>
  readonly settings: SettingValues
}

/** What counts while there is no file. */
export const EMPTY_CONFIG: ConfigDocument = { current: undefined, profiles: new Map(), settings: {} }

/**
 * Reads the text of a configuration file.
 *
 * @param path Named in errors.
 * @throws CliError `invalid_config` that says what is wrong where and how to go on; `config_too_new`.
 */
function parseConfig(text: string, path: string): ConfigDocument {
  const wrong = (what: string) => invalidConfig(path, what)
  const document = jsonOf(text)
  if (!isRecord(document)) throw wrong('it is no JSON object')
  if (typeof document.version === 'number' && document.version > FORMAT_VERSION) throw tooNew(path)
  if (document.version !== FORMAT_VERSION) throw wrong('its version is missing or wrong')
  const { current, profiles = {}, settings = {} } = document
  if (!isRecord(profiles)) throw wrong('profiles must be an object')
  if (!isRecord(settings)) throw wrong('settings must be an object')
  const read = Object.entries(profiles).map(([name, value]): [string, Profile] => {
    if (!isProfileName(name)) throw wrong('a profile has a name that none can have')
    return [name, profileOf(value, (what) => wrong(`profile ${name}: ${what}`))]
  })
  if (current !== undefined && (typeof current !== 'string' || !Object.hasOwn(profiles, current)))
    throw wrong('current names no profile')
  return { current, profiles: new Map(read), settings: settingsOf(settings, wrong) }
}

/** The text of a configuration file. */
function formatConfig({ current, profiles, settings }: ConfigDocument): string {
  const document = { version: FORMAT_VERSION, current, profiles: Object.fromEntries(profiles), settings }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function profileOf(value: unknown, wrong: (what: string) => CliError): Profile {
  if (!isRecord(value)) throw wrong('it must be an object')
  for (const [field, { needed, accepts }] of Object.entries(PROFILE_FIELDS)) {
    const content = value[field]
    if (content === undefined ? needed : !(typeof content === 'string' && accepts(content)))
      throw wrong(`${field} is missing or wrong`)
  }
  return value as unknown as Profile
}

function settingsOf(values: Record<string, unknown>, wrong: (what: string) => CliError): SettingValues {
  for (const key of Object.keys(SETTINGS) as SettingKey[]) {
    const value = values[key]
    if (value !== undefined && !(typeof value === 'string' && SETTINGS[key].accepts(value)))
      throw wrong(`the setting ${key} must be ${SETTINGS[key].rule}`)
  }
  return values as SettingValues
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes what it read.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalidConfig(path: string, what: string): CliError {
  return new CliError({
    code: 'invalid_config',
    message: `The configuration ${path} cannot be used: ${what}.`,
    hint: 'Correct the file, or move it away and begin anew with: fish-cli login USER',
    exit: EXIT.usage,
  })
}

function tooNew(path: string): CliError {
  return new CliError({
    code: 'config_too_new',
    message: `The configuration ${path} was written by a newer fish-cli; it is left as it is.`,
    hint: 'Update fish-cli, or set XDG_CONFIG_HOME to another folder.',
    exit: EXIT.usage,
  })
}

/** Reads profiles and settings; nothing of them when there is no file. @throws CliError when there is one that cannot be used */
export function readConfig(io: Pick<Context, 'env'>): ConfigDocument {
  const path = configPath(io)
  const text = readTextFile(path)
  return text === undefined ? EMPTY_CONFIG : parseConfig(text, path)
}

/**
 * Changes profiles and settings. What other processes change at the same time is neither lost nor mixed up.
 *
 * @param change Makes the new content from what is in the file at that moment, at once.
 * @returns The new content.
 */
export function changeConfig(
  io: Pick<Context, 'env'>,
  change: (config: ConfigDocument) => ConfigDocument,
): Promise<ConfigDocument> {
  return withLock(io, () => {
    const changed = change(readConfig(io))
    write(io, (path) => replaceFile(path, formatConfig(changed)))
    return changed
  })
}

/**
 * Tries a change of profiles and settings: nothing is written.
 *
 * @returns What the content would be.
 * @throws What {@link changeConfig} would, as far as that can be known.
 */
export function checkConfigChange(
  io: Pick<Context, 'env'>,
  change: (config: ConfigDocument) => ConfigDocument,
): ConfigDocument {
  return withLockChecked(io, () => {
    const changed = change(readConfig(io))
    write(io, checkReplaceable)
    return changed
  })
}

/** Gives a setting a value, or removes it where that is `undefined`. With `dryRun` nothing is written. */
export async function changeSetting(
  io: Pick<Context, 'env'>,
  key: SettingKey,
  { value, dryRun }: { readonly value: string | undefined; readonly dryRun: boolean },
): Promise<void> {
  const change = (config: ConfigDocument) => ({ ...config, settings: { ...config.settings, [key]: value } })
  await (dryRun ? checkConfigChange : changeConfig)(io, change)
}

function write(io: Pick<Context, 'env'>, deed: (path: string) => void): void {
  const path = configPath(io)
  try {
    deed(path)
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'written')
  }
}

/** Who logged in where. */
export type LoginTarget = Pick<Profile, 'url' | 'user' | 'gamemode' | 'admin'>

/** Whether a login into a profile is one of somebody else, or elsewhere, and would put that in the place of what it is. */
export function replacesLogin(profile: Profile | undefined, login: LoginTarget): boolean {
  if (!profile) return false
  return (
    !isSameService(profile.url, login.url) || isOther(profile.user, login.user) || isOther(profile.admin, login.admin)
  )
}

/** A configuration after a login: the profile is what the login says and the current one; what it does not say stays. */
export function applyLogin(config: ConfigDocument, name: string, login: LoginTarget): ConfigDocument {
  const old = config.profiles.get(name)
  const isElsewhere = old !== undefined && !isSameService(old.url, login.url)
  const base = isElsewhere ? { secrets: old.secrets } : old
  const said = Object.fromEntries(Object.entries(login).filter(([, value]) => value !== undefined))
  const profile: Profile = { ...base, ...said, url: login.url }
  return { ...config, current: name, profiles: new Map(config.profiles).set(name, profile) }
}

function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && userNameKey(one) !== userNameKey(other)
}

/** The form in which rows are printed when no flag says it: FISH_OUTPUT, else the setting. */
export function defaultOutput(io: Pick<Context, 'env'>): string | undefined {
  return settingValue('output', io.env, settingsOrNone(io))
}

// Whoever needs the configuration says what is wrong with it; how to print is not worth a failure.
function settingsOrNone(io: Pick<Context, 'env'>) {
  try {
    return readConfig(io).settings
  } catch {
    return EMPTY_CONFIG.settings
  }
}
