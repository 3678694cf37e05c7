import type { AppSecrets } from '../../app/options.ts'
import { STORE_KEY } from '../../app/store/item-keys.ts'
import { refuseImportLock } from '../../app/store/store-id.ts'
import { DecryptionError } from '../../app/users/encryption.ts'
import {
  previewRotation,
  type RotationCounts,
  type RotationProgress,
  reencryptAll,
} from '../../app/users/rotate-secret.ts'
import { type ItemSource, verifySecretCheck } from '../../app/users/secret-check.ts'
import { checkStore } from '../../storage/file/store-file.ts'
import { createStorage } from '../../storage/index.ts'
import type { ConfigSource } from '../config.ts'
import { makeSecrets, mismatchedSecrets, storedSecrets, storeSecrets } from '../secrets-file.ts'
import { MaintenanceError, maintain } from './errors.ts'
import { refuseInUse } from './folder.ts'
import {
  type DryRunReport,
  dryRunReport,
  folderOf,
  type MaintenanceOptions,
  type MaintenanceSettings,
  readMaintenanceSettings,
  refuseMemory,
} from './options.ts'
import { atRestSecrets, encryptionWith } from './store-copy.ts'
import { openStoreItems, storeFileOf } from './store-file.ts'

/** Options of {@link rotateSecret}. */
export interface RotateSecretOptions extends ConfigSource, MaintenanceOptions {
  /** First replace the secret beside the data by a new one. File stores only. */
  readonly makeNew?: boolean
}

/** Outcome of {@link rotateSecret}. */
export interface RotateSecretReport extends RotationCounts, DryRunReport {}

/**
 * Encrypts every key with `FISH_SECRET`, or with the secret beside the data where none is given. No server may use a file
 * store meanwhile; servers on a Redis may. Safe to interrupt at any moment, and to run again. A dry run decrypts every key.
 * @throws MaintenanceError
 */
export function rotateSecret(options: RotateSecretOptions): Promise<RotateSecretReport> {
  const { makeNew = false, dryRun = false, onProgress, signal, ...source } = options
  const step = dryRun ? 'check' : 'rotate'
  const work = {
    ...(signal ? { signal } : {}),
    ...(onProgress && {
      onProgress: ({ seen, total }: RotationProgress) => onProgress({ step, unit: 'keys', done: seen, total }),
    }),
  }
  const run = async () => {
    const settings = readMaintenanceSettings(source)
    checkSettings(settings, makeNew)
    if (dryRun) {
      const reader = await openReader(settings)
      await using _end = disposable(reader)
      const { secrets } = await planSecrets(reader, settings, makeNew)
      return {
        ...(await previewRotation({ storage: reader, encryption: encryptionWith(secrets), ...work })),
        ...dryRunReport(dryRun),
      }
    }
    // Locks a file store, and with it the secrets beside it.
    const storage = await createStorage(settings.storage)
    await using _end = disposable(storage)
    const { secrets, stored } = await planSecrets(storage, settings, makeNew)
    if (stored?.isNew) await storeSecrets(stored.folder, stored.secrets)
    const counts = await reencryptAll({ storage, encryption: encryptionWith(secrets), ...work })
    if (counts.unopened.length === 0 && stored?.secrets.sealPrevious) {
      const { seal, session } = stored.secrets
      await storeSecrets(stored.folder, { seal, session })
    }
    return counts
  }
  const interruption = dryRun
    ? { state: 'Nothing was changed.' }
    : { state: 'Keys that the new secret encrypts stay so.', hint: 'Run it again: it does the rest.' }
  return maintain(run, { signal, ...interruption })
}

function checkSettings({ storage, secret }: MaintenanceSettings, makeNew: boolean): void {
  refuseMemory(storage)
  const isFile = storage.driver === 'file'
  if (isFile) storeFileOf(folderOf(storage))
  if (makeNew && (!isFile || secret !== undefined)) {
    const message = 'A new secret is made only for a file store whose secret is beside the data.'
    throw new MaintenanceError('invalid_settings', message, {
      hint: 'Set FISH_SECRET to the new secret and FISH_SECRET_PREVIOUS to the one before instead.',
    })
  }
  if (!isFile && secret === undefined) throw missingSecret()
}

/** Opens a storage for reading, and refuses it where the rotation would. */
async function openReader({ storage }: MaintenanceSettings) {
  if (storage.driver === 'redis' || storage.driver === 'redis-cluster') {
    return (await import('../../storage/redis/redis.ts')).openRedisReader(storage)
  }
  const folder = folderOf(storage)
  const file = storeFileOf(folder)
  refuseInUse(folder, () => checkStore(file))
  return openStoreItems(file)
}

function disposable(storage: { dispose(): Promise<void> }): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => storage.dispose() }
}

interface SecretsPlan {
  /** The secrets that decrypt, the one that encrypts first. */
  readonly secrets: readonly string[]
  /** The secrets beside the data, where these are used. */
  readonly stored?: { readonly folder: string; readonly secrets: AppSecrets; readonly isNew: boolean }
}

async function planSecrets(storage: ItemSource, settings: MaintenanceSettings, makeNew: boolean): Promise<SecretsPlan> {
  refuseImportLock(await storage.items.getItem(STORE_KEY))
  const folder = settings.storage.driver === 'file' ? folderOf(settings.storage) : undefined
  const stored = folder === undefined ? undefined : await storedSecrets(folder)
  const older = stored ? atRestSecrets(stored) : []
  // A given secret replaces the one beside the data.
  if (settings.secret !== undefined) return { secrets: [settings.secret, ...settings.previousSecrets, ...older] }
  if (folder === undefined || !stored) throw missingSecret()
  const secrets = [...older, ...settings.previousSecrets]
  // A key that cannot be decrypted now never could be with a new secret.
  await verifySecretCheck(storage, encryptionWith(secrets)).catch((error: unknown) => {
    if (!(error instanceof DecryptionError)) throw error
    throw new MaintenanceError('wrong_secret', mismatchedSecrets(folder).message, { cause: error })
  })
  if (!makeNew) return { secrets, stored: { folder, secrets: stored, isNew: false } }
  const renewed = { seal: makeSecrets().seal, session: stored.session, sealPrevious: secrets }
  return { secrets: atRestSecrets(renewed), stored: { folder, secrets: renewed, isNew: true } }
}

function missingSecret(): MaintenanceError {
  return new MaintenanceError('missing_secret', 'No secret to encrypt with.', {
    hint: 'Set FISH_SECRET, and FISH_SECRET_PREVIOUS to the one before.',
  })
}
