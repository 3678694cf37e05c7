import { DEFAULT_BASE_URL } from '@fish-crab/sdk/constants'
import { commandLine } from '../core/argv.ts'
import { usageError } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { type Config, type Profile, profileNotFound } from './profiles.ts'
import { isSeconds, settingValue } from './settings.ts'

type Source = 'flag' | 'environment' | 'profile' | 'setting' | 'default'

interface ResolvedValue {
  readonly value: string
  readonly from: Source
}

export interface TargetFlags {
  readonly profile?: string | undefined
  readonly url?: string | undefined
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  readonly admin?: string | undefined
  readonly 'max-wait'?: string | undefined
}

export interface Target {
  /** Absent when no profile is selected, or when the command is about to create the profile. */
  readonly profile: (Profile & { readonly name: string }) | undefined
  readonly profileName: ResolvedValue | undefined
  readonly url: ResolvedValue
  readonly user: ResolvedValue | undefined
  readonly gamemode: ResolvedValue | undefined
  readonly admin: ResolvedValue | undefined
  /** Seconds, unparsed. */
  readonly maxWait: string | undefined
}

/** The order of precedence is flag, environment, profile, setting, default. An empty variable counts as unset. */
export function resolveTarget(
  { env, config }: Pick<System, 'env'> & { readonly config: Config },
  flags: TargetFlags,
  mayBeNew = false,
): Target {
  const profileName = firstOf([flags.profile, 'flag'], [env.FISH_PROFILE, 'environment'], [config.current, 'setting'])
  const profile = profileName && config.profiles.get(profileName.value)
  if (profileName && !profile && !mayBeNew) throw profileNotFound(profileName.value, config.profiles.keys())
  const setting = (key: 'gamemode' | 'max-wait') => settingValue(key, {}, config.settings)
  return {
    profile: profileName && profile && { ...profile, name: profileName.value },
    profileName,
    url: firstOf([flags.url, 'flag'], [env.FISH_URL, 'environment'], [profile?.url, 'profile']) ?? {
      value: DEFAULT_BASE_URL,
      from: 'default',
    },
    user: firstOf([flags.user, 'flag'], [env.FISH_USER, 'environment'], [profile?.user, 'profile']),
    // Letter case does not matter to people, but to the service and the configuration file.
    gamemode: firstOf(
      [flags.gamemode?.toLowerCase(), 'flag'],
      [env.FISH_GAMEMODE?.toLowerCase(), 'environment'],
      [profile?.gamemode, 'profile'],
      [setting('gamemode'), 'setting'],
    ),
    admin: firstOf([flags.admin, 'flag'], [env.FISH_ADMIN_USERNAME, 'environment'], [profile?.admin, 'profile']),
    maxWait: flags['max-wait'] ?? (env.FISH_MAX_WAIT || setting('max-wait')),
  }
}

// An empty flag counts as set, so that the validation of the flag reports the mistake.
function firstOf(...candidates: readonly (readonly [string | undefined, Source])[]): ResolvedValue | undefined {
  for (const [value, from] of candidates) {
    if (value !== undefined && (value !== '' || from === 'flag')) return { value, from }
  }
  return undefined
}

/**
 * Returns the flags of this command line that a suggested command needs to use the service and the account of this
 * command.
 */
export function targetWords({ profileName, url, user, admin }: Target): readonly string[] {
  const values = Object.entries({ profile: profileName, url, user, admin })
  return values.flatMap(([flag, value]) => (value?.from === 'flag' ? [`--${flag}`, value.value] : []))
}

/** Returns an `outbox` command for the service and the player of this command. */
export function suggestOutbox(target: Target, ...words: readonly string[]): string {
  return commandLine('outbox', ...words, ...targetWords({ ...target, admin: undefined }))
}

interface Listed {
  readonly kind?: 'fish' | 'crab' | undefined
  readonly user: string
  readonly gamemode: string
}

/** Returns a `list` command that shows the record ids of a collection. */
export function suggestList(target: Target, { kind = 'fish', user, gamemode }: Listed): string {
  const words = ['list', kind === 'fish' ? 'fish' : 'crabs', user, '--detail', '--gamemode', gamemode]
  return commandLine(...words, ...serviceWords(target))
}

/**
 * Returns the flags of this command line that a suggested command needs to use the service of this command with a
 * different account.
 */
export function serviceWords(target: Target): readonly string[] {
  return targetWords({ ...target, user: undefined, admin: undefined })
}

/** Returns the flags of this command line for a command in which an administrator names the player as an argument. */
export function administratorWords(target: Target): readonly string[] {
  return targetWords({ ...target, user: undefined })
}

/** Returns the flag of this command line that a suggested command needs to use the gamemode of this command. */
export function gamemodeWords({ gamemode }: Target): readonly string[] {
  return gamemode?.from === 'flag' ? ['--gamemode', gamemode.value] : []
}

export function maxWaitOf({ maxWait }: Pick<Target, 'maxWait'>): number | undefined {
  if (maxWait === undefined) return undefined
  if (!isSeconds(maxWait)) throw usageError('--max-wait (FISH_MAX_WAIT) must be a number of seconds, 0 or more.')
  return Number(maxWait) * 1000
}
