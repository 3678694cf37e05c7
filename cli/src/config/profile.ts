import { isGamemode } from '@fish-crab/sdk/constants'
import { isOnlyLocal } from '../../../server/web/src/admin/data/local-address.ts'
import { commandLine } from '../core/command-line.ts'
import type { Profile } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { isServiceUrl } from '../core/parse-values.ts'

const isText = (value: string) => value !== ''

/** Rules for the configuration file. Only `url` is required. The SDK validates user names. */
export const PROFILE_FIELDS: Readonly<Record<keyof Profile, (value: string) => boolean>> = {
  url: isServiceUrl,
  user: isText,
  gamemode: isGamemode,
  admin: isText,
  secrets: (value) => value === 'keyring' || value === 'file',
}

export const DEFAULT_PROFILE = 'default'

export function isProfileName(name: string): boolean {
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

export function isSameService(one: string, other: string): boolean {
  return serviceOf(one) === serviceOf(other)
}

export function serviceOf(url: string): string {
  const { origin = url, pathname = '' } = URL.parse(url) ?? {}
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** Whether a connection to this address sends secrets in clear text over a network. */
export function isUnencrypted(url: string): boolean {
  return URL.parse(url)?.protocol === 'http:' && !isOnlyLocal(url)
}
