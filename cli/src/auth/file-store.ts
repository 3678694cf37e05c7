import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { checkReplaceable, fileError, isNotFound, replaceFile } from '../config/files.ts'
import { withLock, withLockChecked } from '../config/lock.ts'
import { secretsPath } from '../config/paths.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import type { SecretStore, UpdateSecrets } from './store.ts'
import { type ProfileSecrets, parseSecrets } from './store.ts'

const FORMAT_VERSION = 1
const GROUP_AND_OTHERS = 0o077

type StoredProfiles = Readonly<Record<string, unknown>>

/**
 * A store in a file that only its owner can read (0600). A file that others can read is rejected, since its secrets may be
 * known. On Windows, the folder belongs to the user.
 */
export function fileStore(context: Pick<Context, 'env'>): SecretStore {
  const path = secretsPath(context)
  return {
    kind: 'file',
    title: path,
    get: async (profile) => secretsOf(readProfiles(path), profile),
    update: (profile, update) =>
      withLock(context, () => {
        const { altered, profiles } = plan(path, profile, update)
        if (profiles) {
          const text = `${JSON.stringify({ version: FORMAT_VERSION, profiles }, undefined, 2)}\n`
          writing(path, () => replaceFile(path, text))
        }
        return altered
      }),
  }
}

/** Checks an update of the {@link fileStore} without writing. @throws what the update would throw, as far as that is known */
export function checkFileUpdate(context: Pick<Context, 'env'>, profile: string, update: UpdateSecrets): void {
  const path = secretsPath(context)
  withLockChecked(context, () => {
    if (plan(path, profile, update).profiles) writing(path, () => checkReplaceable(path))
  })
}

/** Computes an update; no `profiles` when there is nothing to write. */
function plan(path: string, profile: string, update: UpdateSecrets) {
  const stored = readProfiles(path)
  const { [profile]: _, ...others } = stored
  const altered = update(secretsOf(stored, profile))
  if (altered) return { altered, profiles: { ...others, [profile]: altered } }
  return { altered, profiles: Object.hasOwn(stored, profile) ? others : undefined }
}

function writing(path: string, action: () => void): void {
  try {
    action()
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'written')
  }
}

function secretsOf(stored: StoredProfiles, profile: string): ProfileSecrets | undefined {
  return Object.hasOwn(stored, profile) ? parseSecrets(stored[profile]) : undefined
}

function readProfiles(path: string): StoredProfiles {
  const text = readPrivately(path)
  if (text === undefined) return {}
  const { version, profiles } = documentOf(text)
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    const message = `${path} was written by a newer fish-cli; it was not changed.`
    throw new CliError({ code: 'secrets_too_new', message, hint: 'Update fish-cli.', exit: EXIT.credentials })
  }
  if (version === FORMAT_VERSION && typeof profiles === 'object' && profiles !== null) return profiles as StoredProfiles
  throw new CliError({
    code: 'invalid_secrets',
    message: `The secrets in ${path} cannot be read: fish-cli did not write this file.`,
    hint: 'Move the file away and log in again: fish-cli login USER',
    exit: EXIT.credentials,
  })
}

function readPrivately(path: string): string | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const { mode, uid } = fstatSync(file)
      const own = process.getuid?.() ?? uid
      if (process.platform !== 'win32' && ((mode & GROUP_AND_OTHERS) !== 0 || uid !== own))
        throw tooOpen(path, mode, uid === own)
      return readFileSync(file, 'utf8')
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    if (isNotFound(error)) return undefined
    throw fileError(error as NodeJS.ErrnoException, path, 'read')
  }
}

function tooOpen(path: string, mode: number, own: boolean): CliError {
  const octal = (mode & 0o777).toString(8)
  return new CliError({
    code: 'secrets_not_private',
    message: own ? `Others can read or write ${path} (mode ${octal}).` : `${path} belongs to another user.`,
    hint: own
      ? `If nobody has read it: chmod 600 ${path}. Otherwise have your keys reset and log in again.`
      : 'Move it away and log in again: fish-cli login USER',
    exit: EXIT.credentials,
  })
}

function documentOf(text: string): { readonly version?: unknown; readonly profiles?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
