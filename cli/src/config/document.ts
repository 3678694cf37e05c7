import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import { isProfileName, PROFILE_FIELDS, type Profile } from './profile.ts'
import { SETTINGS, type SettingKey, type SettingValues } from './settings.ts'

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
export function parseConfig(text: string, path: string): ConfigDocument {
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
export function formatConfig({ current, profiles, settings }: ConfigDocument): string {
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
