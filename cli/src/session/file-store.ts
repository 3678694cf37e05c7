import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { shellCommand } from '../../../server/src/node/shell-command.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { parseJsonText } from '../core/parse-values.ts'
import type { System } from '../core/system.ts'
import { decodeTextFile, fileError, isNotFound, replaceFile } from './files.ts'
import { withLock } from './lock.ts'
import { secretsPath } from './paths.ts'
import type { SecretStore } from './secret-store.ts'

const FORMAT_VERSION = 1
const GROUP_AND_OTHERS = 0o077

type StoredProfiles = Readonly<Record<string, unknown>>

/**
 * Rejects a file that other users of the machine can read, because these users may know the secrets. On Windows, the
 * mode is not checked, because the folder belongs to the user.
 */
export function fileStore(system: Pick<System, 'env'>): SecretStore {
  const path = secretsPath(system)
  return {
    kind: 'file',
    title: path,
    get: async (profile) => storedFor(readProfiles(path), profile),
    update: (profile, update) =>
      withLock(system, () => {
        const stored = readProfiles(path)
        const { [profile]: _, ...others } = stored
        const altered = update(storedFor(stored, profile))
        if (altered || Object.hasOwn(stored, profile)) {
          const profiles = altered ? { ...others, [profile]: altered } : others
          replaceFile(path, `${JSON.stringify({ version: FORMAT_VERSION, profiles }, undefined, 2)}\n`)
        }
      }),
  }
}

function storedFor(stored: StoredProfiles, profile: string): unknown {
  return Object.hasOwn(stored, profile) ? stored[profile] : undefined
}

function readProfiles(path: string): StoredProfiles {
  const text = readPrivately(path)
  if (text === undefined) return {}
  const { version, profiles } = Object(parseJsonText(text))
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    const message = `A newer fish-cli wrote ${path}. Nothing was changed.`
    throw new CliError({ code: 'secrets_too_new', message, hint: 'Update fish-cli.', exit: EXIT.credentials })
  }
  if (version === FORMAT_VERSION && typeof profiles === 'object' && profiles !== null) return profiles as StoredProfiles
  throw new CliError({
    code: 'invalid_secrets',
    message: `The secrets in ${path} cannot be read: fish-cli did not write this file.`,
    hint: 'Move the file away and log in again: fish-cli login',
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
      return decodeTextFile(readFileSync(file), path)
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
      ? `If others may have read the file, ask an administrator for new keys. Otherwise: ${shellCommand(['chmod', '600', path])}`
      : 'Move the file away and log in again: fish-cli login',
    exit: EXIT.credentials,
  })
}
