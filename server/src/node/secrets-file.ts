import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppSecrets } from '../app/options.ts'
import { syncFolderAsync } from '../storage/file/folder.ts'
import { STORE_FILE } from '../storage/file/store-file.ts'

/** The secrets file of a data folder is missing, unreadable, damaged, or belongs to another store. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
}

export interface LoadedSecrets {
  readonly secrets: AppSecrets
  /** The error to throw if the secrets of the folder do not decrypt its data. Absent if the caller gave the secret. */
  readonly mismatch?: SecretsError
  /** Removes `secrets.json` if {@link loadSecrets} created the file. */
  discard(): Promise<void>
}

export const SECRETS_FILE = 'secrets.json'

export function makeSecrets(): AppSecrets {
  return { encryption: randomBytes(32).toString('base64'), session: randomBytes(32).toString('base64') }
}

/**
 * Loads the secrets of a data folder: the given secrets, or else the secrets in its `secrets.json`. Unless both secrets
 * are given, a missing file is created with mode 0600 and flushed to the disk before anything is encrypted.
 */
export async function loadSecrets(folder: string, given: Partial<AppSecrets>): Promise<LoadedSecrets> {
  const { encryption, session, previousEncryption = [] } = given
  if (encryption && session)
    return { secrets: withPrevious({ encryption, session }, previousEncryption), discard: async () => {} }
  const path = join(folder, SECRETS_FILE)
  const stored = await readSecrets(folder)
  const secrets = stored ?? makeSecrets()
  if (!stored) await writeSecrets(folder, secrets)
  // If a secret is given, the stored secrets are ignored, so that a wrong given secret causes an error.
  const previous = encryption ? previousEncryption : [...(secrets.previousEncryption ?? []), ...previousEncryption]
  return {
    secrets: withPrevious(
      { encryption: encryption ?? secrets.encryption, session: session ?? secrets.session },
      previous,
    ),
    discard: async () => {
      if (!stored) await rm(path, { force: true })
    },
    ...(encryption ? {} : { mismatch: stored ? mismatchedSecrets(folder) : missingSecrets(path) }),
  }
}

export function mismatchedSecrets(folder: string): SecretsError {
  return new SecretsError(
    `${join(folder, SECRETS_FILE)} belongs to another store than ${join(folder, STORE_FILE)}: it does not decrypt its keys. Restore the ${SECRETS_FILE} of that store, or set FISH_SECRET to its secret; nothing was changed.`,
  )
}

function missingSecrets(path: string): SecretsError {
  return new SecretsError(
    `${path} is missing, and the data was encrypted with its secret. Restore it from a backup, or set FISH_SECRET; nothing was changed.`,
  )
}

function withPrevious(secrets: AppSecrets, previousEncryption: readonly string[]): AppSecrets {
  return previousEncryption.length === 0 ? secrets : { ...secrets, previousEncryption }
}

export async function readSecrets(folder: string): Promise<AppSecrets | undefined> {
  const path = join(folder, SECRETS_FILE)
  let text: string | undefined
  try {
    text = readSecretsText(folder)
  } catch (error) {
    if (error instanceof SecretsError) throw error
    throw new SecretsError(`Cannot read ${path}: ${(error as NodeJS.ErrnoException).code}.`, { cause: error })
  }
  if (text === undefined) return undefined
  try {
    const { encryption, session, previousEncryption = [] } = JSON.parse(text) as Partial<AppSecrets>
    if (isSecret(encryption) && isSecret(session) && previousEncryption.every(isSecret)) {
      return withPrevious({ encryption, session }, previousEncryption)
    }
  } catch {
    // The error below does not contain the parser's message, which quotes the input.
  }
  throw new SecretsError(`${path} is damaged. Restore it from a backup: without it, encrypted keys are lost.`)
}

/** The text of the secrets in a folder, or `undefined` if the folder has no secrets. */
export function readSecretsText(folder: string): string | undefined {
  const path = join(folder, SECRETS_FILE)
  let handle: number
  try {
    // Without `O_NONBLOCK`, opening a pipe would wait for the other end of the pipe.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    if (!fstatSync(handle).isFile()) throw new SecretsError(`${path} is not a file. Move it away.`)
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Replaces the secrets in a folder. When the promise resolves, the secrets are on the disk. */
export async function writeSecrets(folder: string, secrets: AppSecrets): Promise<void> {
  const { encryption, session, previousEncryption } = secrets
  const path = join(folder, SECRETS_FILE)
  const temp = `${path}.new`
  await rm(temp, { force: true })
  try {
    const text = `${JSON.stringify({ encryption, session, previousEncryption }, undefined, 2)}\n`
    await writeFile(temp, text, { flag: 'wx', mode: 0o600, flush: true })
    await rename(temp, path)
  } catch (error) {
    await rm(temp, { force: true })
    throw error
  }
  await syncFolderAsync(folder)
}
