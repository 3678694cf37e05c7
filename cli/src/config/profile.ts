import { isGamemode } from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../core/errors.ts'

/** A service, and who one is there. Secrets are kept elsewhere. */
export interface Profile {
  /** Address of the service. */
  readonly url: string
  /** The player. */
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  /** The administrator. */
  readonly admin?: string | undefined
  /** Where the secrets of this profile were put; absent while there are none. */
  readonly secrets?: 'keyring' | 'file' | undefined
}

interface ProfileField {
  readonly needed: boolean
  readonly accepts: (value: string) => boolean
}

const anyText = (value: string) => value !== ''

function isAddress(value: string): boolean {
  const { protocol, username, password } = URL.parse(value) ?? {}
  return /^https?:$/.test(protocol ?? '') && username === '' && password === ''
}

/** What the fields of a profile may be in a file. What the SDK checks itself is not checked twice. */
export const PROFILE_FIELDS: Readonly<Record<keyof Profile, ProfileField>> = {
  url: { needed: true, accepts: isAddress },
  user: { needed: false, accepts: anyText },
  gamemode: { needed: false, accepts: isGamemode },
  admin: { needed: false, accepts: anyText },
  secrets: { needed: false, accepts: (value) => value === 'keyring' || value === 'file' },
}

/** The name of the profile that is made when none is named. */
export const DEFAULT_PROFILE = 'default'

/** Whether a profile may have this name: 1 to 32 characters of `A-Z a-z 0-9 . _ -`, beginning with a letter or digit. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name)
}

/** A name that a profile may have. @throws CliError for another, which is not repeated: it may be a secret */
export function parseProfileName(name: string): string {
  if (isProfileName(name)) return name
  throw usageError(
    'A profile cannot have this name.',
    'Give 1 to 32 characters of A-Z, a-z, 0-9, ".", "_" and "-", beginning with a letter or digit.',
  )
}

/** There is no profile of a name. */
export function profileNotFound(name: string, known: Iterable<string>): CliError {
  const names = [...known]
  const message = isProfileName(name) ? `There is no profile ${name}.` : 'There is no such profile.'
  const make = `fish-cli login USER --profile ${isProfileName(name) ? name : 'NAME'}`
  const hint = names.length > 0 ? `There are: ${names.join(', ')}.` : `Make one: ${make}`
  return new CliError({ code: 'profile_not_found', message, hint, exit: EXIT.notFound })
}

/** Whether two addresses are those of one service. */
export function isSameService(one: string, other: string): boolean {
  return comparable(one) === comparable(other)
}

function comparable(url: string): string {
  const { origin = url, pathname = '' } = URL.parse(url) ?? {}
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

/** Whether secrets on their way to an address can be read by others: http, and not to this machine itself. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
