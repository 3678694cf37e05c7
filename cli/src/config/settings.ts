import { GAMEMODES, isGamemode } from '@fish-crab/sdk/constants'
import type { Config } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import { FORMATS } from '../output/format.ts'

interface Setting {
  readonly summary: string
  /** The variable that precedes the setting, and the flag that precedes both. */
  readonly variable: string
  readonly flag?: string
  /** Its rule, as it follows "must be" in a message. */
  readonly rule: string
  /** Its values, where they can be listed. */
  readonly values: readonly string[]
  readonly accepts: (value: string) => boolean
}

const oneOf = (values: readonly string[]) => ({
  rule: `one of ${values.join(', ')}`,
  values,
  accepts: (value: string) => values.includes(value),
})

const SECRET_STORES = ['auto', 'keyring', 'file'] as const

/** All settings by key. */
export const SETTINGS = {
  gamemode: {
    summary: 'The gamemode of commands that name none, in profiles that have none.',
    variable: 'FISH_GAMEMODE',
    flag: '--gamemode',
    ...oneOf(GAMEMODES),
    accepts: isGamemode,
  },
  'max-wait': {
    summary: 'Seconds to wait at most while the rate limit holds.',
    variable: 'FISH_MAX_WAIT',
    flag: '--max-wait',
    rule: 'seconds, 0 or more',
    values: [],
    accepts: isSeconds,
  },
  output: {
    summary: 'What --output is where it is not given, in commands that have it.',
    variable: 'FISH_OUTPUT',
    flag: '--output',
    ...oneOf(FORMATS),
  },
  'secret-store': {
    summary: 'Where login puts secrets: auto takes the keyring of the system where there is one, else a file.',
    variable: 'FISH_SECRET_STORE',
    ...oneOf(SECRET_STORES),
  },
} as const satisfies Readonly<Record<SettingKey, Setting>>

/** The key of a setting. */
export type SettingKey = keyof Config['settings']

/** Whether a text is a number of seconds, with at most three decimals. */
export function isSeconds(text: string): boolean {
  return /^\d{1,9}(\.\d{1,3})?$/.test(text)
}

/** @throws CliError that lists the settings */
export function parseSettingKey(key: string): SettingKey {
  if (Object.hasOwn(SETTINGS, key)) return key as SettingKey
  throw usageError('Unknown setting.', `Settings: ${Object.keys(SETTINGS).join(', ')}.`)
}

/** The value of a setting: from the environment, else from the configuration. @throws CliError for an invalid value */
export function settingValue(
  key: SettingKey,
  env: Readonly<Record<string, string | undefined>>,
  settings: Config['settings'],
): string | undefined {
  const { variable, accepts, rule } = SETTINGS[key]
  const value = env[variable] || settings[key]
  if (value !== undefined && !accepts(value)) throw usageError(`${key} (${variable}) must be ${rule}.`)
  return value
}
