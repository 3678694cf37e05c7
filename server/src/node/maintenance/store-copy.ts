import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppSecrets } from '../../app/options.ts'
import { createEncryption, DecryptionError } from '../../app/users/encryption.ts'
import { decryptSecretCheck } from '../../app/users/secret-check.ts'
import { renewLineage } from '../../storage/file/mark.ts'
import { DatabaseSync } from '../../storage/file/sqlite.ts'
import { STORE_FILE } from '../../storage/file/store-file.ts'
import { SECRETS_FILE, storedSecrets } from '../secrets-file.ts'
import { MaintenanceError } from './errors.ts'
import type { WorkOptions } from './options.ts'
import {
  checkStoreFile,
  openStoreFile,
  readContent,
  runStatement,
  type StoreContent,
  type StoreFacts,
  spaceOf,
  syncFile,
} from './store-file.ts'

/** Whether a store can be served with the secrets beside it. */
export type SecretsState =
  /** The secrets beside it decrypt its keys. */
  | 'included'
  /** Its keys are encrypted with a `FISH_SECRET` that is not beside it, and that it needs. */
  | 'needed'

/** What a store contains, and whether its secrets are beside it. */
export interface StoreReport extends StoreFacts {
  readonly secrets: SecretsState
}

/** Checks the store and the secrets of a data folder. */
export async function inspectStore(folder: string, file: string, work: WorkOptions): Promise<StoreReport> {
  const { facts, secretCheck } = await readContent(file, work)
  return { ...facts, secrets: await secretsStateOf(folder, secretCheck) }
}

/** Copies the store and the secrets of a data folder into an empty folder, and checks the copy. */
export async function copyStore(
  { from, file, to }: { readonly from: string; readonly file: string; readonly to: string },
  work: WorkOptions,
): Promise<StoreReport> {
  const db = openStoreFile(file)
  try {
    await checkStoreFile(db, file, work)
    const { facts, secretCheck } = await copyWithSecrets({ db, file, from, to }, work)
    return { ...facts, secrets: await secretsStateOf(to, secretCheck) }
  } finally {
    db.close()
  }
}

interface CopySource {
  readonly db: DatabaseSync
  readonly file: string
  readonly from: string
  readonly to: string
}

const MAX_TRIES = 3

/** Copies a store and its secrets so that they belong together, although a rotation may change both meanwhile. */
async function copyWithSecrets({ db, file, from, to }: CopySource, work: WorkOptions): Promise<StoreContent> {
  const copy = join(to, STORE_FILE)
  for (let tries = 1; ; tries += 1) {
    const before = secretsText(from)
    const content = await copyFile(db, { file, copy }, work)
    if (secretsText(from) === before) {
      if (before !== undefined) {
        writeFileSync(join(to, SECRETS_FILE), before, { mode: 0o600, flag: 'wx' })
        syncFile(join(to, SECRETS_FILE))
      }
      return content
    }
    if (tries === MAX_TRIES) {
      throw new MaintenanceError('unavailable', 'The secrets changed during the copy.', { hint: 'Run it again.' })
    }
    rmSync(copy)
  }
}

function secretsText(folder: string): string | undefined {
  const file = join(folder, SECRETS_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/**
 * Writes a copy of a store as of one moment, while others read and write it. The copy is on the disk when this settles,
 * which SQLite does not promise of `VACUUM INTO`. SQLite's backup interface starts again whenever a server writes, and
 * copies deleted data.
 */
async function copyFile(
  db: DatabaseSync,
  { file, copy }: { readonly file: string; readonly copy: string },
  work: WorkOptions,
): Promise<StoreContent> {
  const { onProgress, signal } = work
  const { size, used: total } = spaceOf(db)
  const report = (done: number) => onProgress?.({ step: 'copy', unit: 'bytes', done: Math.min(done, total), total })
  // SQLite accepts an empty file, and would make one that everybody can read.
  closeSync(openSync(copy, 'wx', 0o600))
  report(0)
  const onTick = () => report(statSync(copy, { throwIfNoEntry: false })?.size ?? 0)
  await runStatement({ db, file, size, sql: 'VACUUM INTO ?', parameters: [copy], output: copy, onTick, signal })
  const written = new DatabaseSync(copy)
  try {
    renewLineage(written)
  } finally {
    written.close()
  }
  const handle = await open(copy, 'r+')
  await handle.sync().finally(() => handle.close())
  report(total)
  return readContent(copy, work)
}

/** Tries the secrets in a folder on the check value of a store. */
export async function secretsStateOf(folder: string, secretCheck: string | null): Promise<SecretsState> {
  const secrets = await storedSecrets(folder)
  if (secretCheck === null) return 'included'
  if (!secrets) return 'needed'
  try {
    await decryptSecretCheck(secretCheck, encryptionWith(atRestSecrets(secrets)))
    return 'included'
  } catch (error) {
    if (error instanceof DecryptionError) return 'needed'
    throw error
  }
}

/** All secrets that decrypt, the one that encrypts first. */
export function atRestSecrets({ seal, sealPrevious = [] }: AppSecrets): readonly string[] {
  return [seal, ...sealPrevious]
}

export function encryptionWith(secrets: readonly string[]) {
  return createEncryption(secrets, (bytes) => crypto.getRandomValues(bytes))
}
