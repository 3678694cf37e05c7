import { GAMEMODES, isGamemode } from '@fish-crab/sdk/constants'
import { usageError } from '../core/errors.ts'
import { FORMATS } from '../output/format.ts'

/** One setting. */
export interface Setting {
  readonly summary: string
  /** The variable that goes before it, and the flag that goes before both. */
  readonly variable: string
  readonly flag?: string
  /** What its value must be, in words that follow "must be". */
  readonly rule: string
  readonly accepts: (value: string) => boolean
}

const oneOf = (values: readonly string[]) => ({
  rule: `one of ${values.join(', ')}`,
  accepts: (value: string) => values.includes(value),
})

/** Where secrets can be put. */
const SECRET_STORES = ['auto', 'keyring', 'file'] as const

/** Every setting by its key. */
export const SETTINGS = {
  gamemode: {
    summary: 'The gamemode of commands that name none, in profiles that have none.',
    variable: 'FISH_GAMEMODE',
    flag: '--gamemode',
    rule: `one of ${GAMEMODES.join(', ')}`,
    accepts: isGamemode,
  },
  'max-wait': {
    summary: 'Seconds to wait at most while the rate limit holds.',
    variable: 'FISH_MAX_WAIT',
    flag: '--max-wait',
    rule: 'seconds, 0 or more',
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
} as const satisfies Readonly<Record<string, Setting>>

/** The name of a setting. */
export type SettingKey = keyof typeof SETTINGS

/** What was set. */
export type SettingValues = { readonly [Key in SettingKey]?: string }

/** Whether text is a number of seconds, milliseconds at the finest. */
export function isSeconds(text: string): boolean {
  return /^\d{1,9}(\.\d{1,3})?$/.test(text)
}

/** The setting of a key. @throws CliError that lists the keys there are */
export function parseSettingKey(key: string): SettingKey {
  if (Object.hasOwn(SETTINGS, key)) return key as SettingKey
  throw usageError('There is no such setting.', `There are: ${Object.keys(SETTINGS).join(', ')}.`)
}

/** What a setting comes to: the environment, else the file. @throws CliError for a value that it cannot have */
export function settingValue(
  key: SettingKey,
  env: Readonly<Record<string, string | undefined>>,
  settings: SettingValues,
): string | undefined {
  const { variable, accepts, rule } = SETTINGS[key]
  const value = env[variable] || settings[key]
  if (value !== undefined && !accepts(value)) throw usageError(`${key} (${variable}) must be ${rule}.`)
  return value
}
