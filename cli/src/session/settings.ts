import { GAMEMODE_RULE, isGamemode, rarityValue } from '@fish-crab/sdk/constants'
import { usageError } from '../core/errors.ts'

export interface Settings {
  readonly encoding?: string
  readonly gamemode?: string
  readonly 'max-wait'?: string
  readonly notify?: string
  readonly 'secret-store'?: string
}

interface Setting {
  readonly summary: string
  /** The environment variable that overrides the setting. */
  readonly variable: string
  /** Completes "must be …" in messages. */
  readonly rule: string
  readonly accepts: (value: string) => boolean
}

const oneOf = (values: readonly string[]) => ({
  rule: `one of ${values.join(', ')}`,
  accepts: (value: string) => values.includes(value),
})

export const SETTINGS = {
  encoding: {
    summary: 'Encoding of game logs that are neither UTF-8 nor UTF-16.',
    variable: 'FISH_ENCODING',
    rule: 'the name of an encoding',
    // `config` and `watch` check the name: no other command needs the encodings.
    accepts: (name: string) => name !== '',
  },
  gamemode: {
    summary: 'Gamemode for profiles without a gamemode.',
    variable: 'FISH_GAMEMODE',
    rule: `a gamemode of the service: ${GAMEMODE_RULE}`,
    accepts: isGamemode,
  },
  'max-wait': {
    summary: 'Longest wait for the rate limit, in seconds.',
    variable: 'FISH_MAX_WAIT',
    rule: 'a number of seconds, 0 or more',
    accepts: isSeconds,
  },
  notify: {
    summary: 'Rarities for which fish-cli watch rings the bell.',
    variable: 'FISH_NOTIFY',
    rule: 'off, or rarities and first, separated by commas, such as gold,mythical,first',
    accepts: isNotifyList,
  },
  'secret-store': {
    summary: 'Place where login stores secrets: auto uses the system keyring if there is one, otherwise a file.',
    variable: 'FISH_SECRET_STORE',
    ...oneOf(['auto', 'keyring', 'file']),
  },
} as const satisfies Readonly<Record<SettingKey, Setting>>

export type SettingKey = keyof Settings

function isNotifyList(text: string): boolean {
  const words = text.split(',').map((word) => word.trim())
  return words.every((word) => /^(?:off|first)$/i.test(word) || rarityValue(word) !== undefined)
}

export function isSeconds(text: string): boolean {
  return /^\d{1,9}(\.\d{1,3})?$/.test(text)
}

export function parseSettingKey(key: string): SettingKey {
  if (Object.hasOwn(SETTINGS, key)) return key as SettingKey
  throw usageError('Unknown setting.', `Settings: ${Object.keys(SETTINGS).join(', ')}.`)
}

export function settingValue(
  key: SettingKey,
  env: Readonly<Record<string, string | undefined>>,
  settings: Settings,
): string | undefined {
  const { variable, accepts, rule } = SETTINGS[key]
  const value = env[variable] || settings[key]
  if (value !== undefined && !accepts(value)) throw usageError(`${key} (${variable}) must be ${rule}.`)
  return value
}
