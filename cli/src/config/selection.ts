import { DEFAULT_BASE_URL, type Gamemode } from '@fish-crab/sdk/constants'
import type { Context } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import { parseGamemode } from '../core/gamemode.ts'
import type { ConfigDocument } from './config-file.ts'
import { readConfig } from './config-file.ts'
import { type Profile, profileNotFound } from './profile.ts'
import { isSeconds, settingValue } from './settings.ts'

/** Where a value came from. */
type Source = 'flag' | 'environment' | 'profile' | 'setting' | 'default'

/** A value and where it came from. */
interface ResolvedValue {
  readonly value: string
  readonly from: Source
}

/** What of the flags of a command decides whom it talks to, and as whom. */
export interface SelectionFlags {
  readonly profile?: string | undefined
  readonly url?: string | undefined
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  readonly admin?: string | undefined
  readonly 'max-wait'?: string | undefined
  readonly 'no-wait'?: boolean | undefined
}

/** The flags that say how to reach a service, and as whom. */
export interface ServiceFlags extends SelectionFlags {
  readonly json?: boolean | undefined
}

/** What flags, environment and configuration come to. */
export interface Selection {
  /** The profile that counts; absent when there is none, or the command may make it. */
  readonly profile: (Profile & { readonly name: string }) | undefined
  /** The name that was asked for, or that of the current profile. */
  readonly profileName: ResolvedValue | undefined
  readonly url: ResolvedValue
  readonly user: ResolvedValue | undefined
  readonly gamemode: ResolvedValue | undefined
  readonly admin: ResolvedValue | undefined
  /** Seconds, as text. */
  readonly maxWait: string | undefined
}

/** What {@link resolveSelection} goes by. */
export interface SelectionInput {
  readonly flags: SelectionFlags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: ConfigDocument
}

/**
 * Whom a command talks to, and as whom. A flag goes before the environment, that before the profile, that before
 * settings and defaults. The profile itself: `--profile`, else FISH_PROFILE, else the current one. An empty variable
 * counts as not set.
 *
 * @param mayBeNew Whether a profile that does not exist may be named.
 * @throws CliError `profile_not_found`
 */
export function resolveSelection({ flags, env, config }: SelectionInput, mayBeNew = false): Selection {
  const profileName = firstOf([flags.profile, 'flag'], [env.FISH_PROFILE, 'environment'], [config.current, 'setting'])
  const kept = profileName && config.profiles.get(profileName.value)
  if (profileName && !kept && !mayBeNew) throw profileNotFound(profileName.value, config.profiles.keys())
  const setting = (key: 'gamemode' | 'max-wait') => settingValue(key, {}, config.settings)
  return {
    profile: profileName && kept && { ...kept, name: profileName.value },
    profileName,
    url: firstOf([flags.url, 'flag'], [env.FISH_URL, 'environment'], [kept?.url, 'profile']) ?? {
      value: DEFAULT_BASE_URL,
      from: 'default',
    },
    user: firstOf([flags.user, 'flag'], [env.FISH_USER, 'environment'], [kept?.user, 'profile']),
    gamemode: firstOf(
      [flags.gamemode, 'flag'],
      [env.FISH_GAMEMODE, 'environment'],
      [kept?.gamemode, 'profile'],
      [setting('gamemode'), 'setting'],
    ),
    admin: firstOf([flags.admin, 'flag'], [env.FISH_ADMIN_USERNAME, 'environment'], [kept?.admin, 'profile']),
    maxWait: flags['no-wait'] ? '0' : (flags['max-wait'] ?? (env.FISH_MAX_WAIT || setting('max-wait'))),
  }
}

/** Whom a command talks to: flags, else environment, else profile. */
export function selectService(io: Context, flags: SelectionFlags): Selection {
  return resolveSelection({ flags, env: io.env, config: readConfig(io) })
}

/**
 * The player a command is about.
 *
 * @param named By an argument or a flag.
 * @throws CliError when nobody is named
 */
export function requireUser(io: Context, named: string | undefined, how: string, flags: SelectionFlags = {}): string {
  const { user } = selectService(io, { ...flags, user: named })
  if (!user?.value) throw usageError('Say which player.', `${how}, set FISH_USER, or: fish-cli login USER`)
  return user.value
}

/**
 * The gamemode a command is about.
 *
 * @throws CliError when none is named, or there is none of that name
 */
export function requireGamemode(io: Context, named: string | undefined, flags: SelectionFlags = {}): Gamemode {
  const gamemode = resolveGamemode(selectService(io, { ...flags, gamemode: named }).gamemode)
  if (gamemode === undefined) {
    const hint = 'Add --gamemode GAMEMODE, set FISH_GAMEMODE, or: fish-cli config set gamemode GAMEMODE'
    throw usageError('Say which gamemode.', hint)
  }
  return gamemode
}

/** `--max-wait` in milliseconds. @throws CliError when it is no number of seconds */
export function parseMaxWait(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined
  if (!isSeconds(seconds)) throw usageError('--max-wait (FISH_MAX_WAIT) must be seconds, 0 or more.')
  return Number(seconds) * 1000
}

/** The gamemode that flags, environment or configuration say, if any does. @throws CliError when there is none of that name */
export function resolveGamemode(chosen: Selection['gamemode']): Gamemode | undefined {
  if (!chosen?.value) return undefined
  return parseGamemode(chosen.value, SOURCES[chosen.from])
}

const SOURCES = {
  flag: '--gamemode',
  environment: 'FISH_GAMEMODE',
  profile: 'The gamemode of the profile',
  setting: 'The gamemode that was set',
  default: 'The gamemode',
} as const

// A flag that is there counts even when it is empty: what checks it says so.
function firstOf(...candidates: readonly (readonly [string | undefined, Source])[]): ResolvedValue | undefined {
  for (const [value, from] of candidates) {
    if (value !== undefined && (value !== '' || from === 'flag')) return { value, from }
  }
  return undefined
}
