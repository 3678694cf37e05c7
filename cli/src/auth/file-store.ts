import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { checkReplaceable, fileError, isNotFound, replaceFile } from '../config/files.ts'
import { withLock, withLockChecked } from '../config/lock.ts'
import { secretsPath } from '../config/paths.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import type { SecretStore, UpdateSecrets } from './store.ts'
import { type ProfileSecrets, parseSecrets } from './store.ts'

const FORMAT_VERSION = 1
const OTHERS = 0o077

type Kept = Readonly<Record<string, unknown>>

/**
 * Secrets in a file that only its owner can read (0600). A file that others can read is refused, since what is in it
 * may be known already. On Windows, the folder is the user's own.
 */
export function fileStore(context: Pick<Context, 'env'>): SecretStore {
  const path = secretsPath(context)
  return {
    kind: 'file',
    title: path,
    get: async (profile) => secretsOf(readKept(path), profile),
    update: (profile, alter) =>
      withLock(context, () => {
        const { altered, profiles } = planned(path, profile, alter)
        if (profiles) {
          const text = `${JSON.stringify({ version: FORMAT_VERSION, profiles }, undefined, 2)}\n`
          written(path, () => replaceFile(path, text))
        }
        return altered
      }),
  }
}

/** Tries a change of the {@link fileStore}: nothing is written. @throws What the change would, as far as that can be known */
export function checkFileUpdate(context: Pick<Context, 'env'>, profile: string, alter: UpdateSecrets): void {
  const path = secretsPath(context)
  withLockChecked(context, () => {
    if (planned(path, profile, alter).profiles) written(path, () => checkReplaceable(path))
  })
}

/** What a change comes to; no `profiles` when there is nothing to write. */
function planned(path: string, profile: string, alter: UpdateSecrets) {
  const kept = readKept(path)
  const { [profile]: _, ...others } = kept
  const altered = alter(secretsOf(kept, profile))
  if (altered) return { altered, profiles: { ...others, [profile]: altered } }
  return { altered, profiles: Object.hasOwn(kept, profile) ? others : undefined }
}

function written(path: string, deed: () => void): void {
  try {
    deed()
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'written')
  }
}

function secretsOf(kept: Kept, profile: string): ProfileSecrets | undefined {
  return Object.hasOwn(kept, profile) ? parseSecrets(kept[profile]) : undefined
}

function readKept(path: string): Kept {
  const text = readPrivately(path)
  if (text === undefined) return {}
  const { version, profiles } = documentOf(text)
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    const message = `${path} was written by a newer fish-cli; it is left as it is.`
    throw new CliError({ code: 'secrets_too_new', message, hint: 'Update fish-cli.', exit: EXIT.credentials })
  }
  if (version === FORMAT_VERSION && typeof profiles === 'object' && profiles !== null) return profiles as Kept
  throw new CliError({
    code: 'invalid_secrets',
    message: `The secrets in ${path} cannot be read: it is not what fish-cli wrote.`,
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
      if (process.platform !== 'win32' && ((mode & OTHERS) !== 0 || uid !== own)) throw tooOpen(path, mode, uid === own)
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
    message: own ? `Others can read or write ${path} (mode ${octal}).` : `${path} belongs to somebody else.`,
    hint: own
      ? `If nobody read it: chmod 600 ${path}. Else have your keys reset, and log in again.`
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
