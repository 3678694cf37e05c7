import type { AppSecrets } from '../../app/options.ts'
import { STORE_KEY } from '../../app/store/item-keys.ts'
import { refuseImportLock } from '../../app/store/store-id.ts'
import { createEncryption, DecryptionError } from '../../app/users/encryption.ts'
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
import { allSeals } from './kept-secrets.ts'
import { MaintenanceError, maintain, tellInterruption } from './maintenance-error.ts'
import { folderOf, type MaintenanceSettings, readMaintenanceSettings, refuseMemory } from './maintenance-settings.ts'
import { type DryRunMark, dryRunMark, type MaintenanceOptions } from './progress.ts'
import { viewRedis } from './redis-view.ts'
import { storeFileOf } from './store-file.ts'
import { viewStoreFile } from './store-view.ts'
import { refuseInUse } from './target.ts'

/** What {@link rotateSecret} takes. */
export interface RotateSecretOptions extends ConfigSource, MaintenanceOptions {
  /** Make a new secret beside the data first, in place of the one that was made before. File stores only. */
  readonly makeNew?: boolean
}

/** Outcome of {@link rotateSecret}. */
export interface RotateSecretReport extends RotationCounts, DryRunMark {}

/**
 * Seals every key anew under `FISH_SECRET`, or under the secret beside the data where none is given. A file store must
 * not be served meanwhile, a Redis may be. Safe to interrupt at any moment, and to do again. A dry run opens every key.
 * @throws MaintenanceError
 */
export function rotateSecret(options: RotateSecretOptions): Promise<RotateSecretReport> {
  const { makeNew = false, dryRun = false, onProgress, signal, ...source } = options
  const run = async () => {
    const settings = readMaintenanceSettings(source)
    checkSettings(settings, makeNew)
    const work = {
      ...(signal ? { signal } : {}),
      ...(onProgress && {
        onProgress: ({ seen, total }: RotationProgress) =>
          onProgress({ step: dryRun ? 'check' : 'rotate', unit: 'keys', done: seen, total }),
      }),
    }
    if (dryRun) {
      const view = await viewOf(settings)
      await using _end = endOf(view)
      const { seals } = await sealingOf(view, settings, makeNew)
      return { ...(await previewRotation({ storage: view, vault: vaultOf(seals), ...work })), ...dryRunMark(dryRun) }
    }
    // A file store is locked from here on, and its secrets with it.
    const storage = await createStorage(settings.storage)
    await using _end = endOf(storage)
    const { seals, keeping } = await sealingOf(storage, settings, makeNew)
    if (keeping?.isNew) await storeSecrets(keeping.folder, keeping.secrets)
    const counts = await reencryptAll({ storage, vault: vaultOf(seals), ...work })
    if (counts.unopened.length === 0 && keeping?.secrets.sealPrevious) {
      const { seal, session } = keeping.secrets
      await storeSecrets(keeping.folder, { seal, session })
    }
    return counts
  }
  const told = dryRun
    ? tellInterruption(signal, 'Nothing was changed.', 'Run it again.')
    : tellInterruption(signal, 'What was sealed anew stays so.', 'Run it again: it does what is left.')
  return maintain(() => run().catch(told))
}

function checkSettings({ storage, secret }: MaintenanceSettings, makeNew: boolean): void {
  refuseMemory(storage)
  const isFile = storage.driver === 'file'
  if (isFile) storeFileOf(folderOf(storage))
  if (makeNew && (!isFile || secret !== undefined)) {
    throw new MaintenanceError(
      'invalid_settings',
      'A new secret is made only for a file store whose secret is kept beside the data.',
      {
        hint: 'Put the new secret into FISH_SECRET and the one before into FISH_SECRET_PREVIOUS instead.',
      },
    )
  }
  if (!isFile && secret === undefined) throw missingSecret()
}

/** Opens a storage to look at it, and refuses it where it would be refused to work on it. */
async function viewOf({ storage }: MaintenanceSettings) {
  if (storage.driver === 'redis' || storage.driver === 'redis-cluster') return viewRedis(storage)
  const folder = folderOf(storage)
  const file = storeFileOf(folder)
  refuseInUse(folder, () => checkStore(file))
  return viewStoreFile(file)
}

/** Closes a storage at the end of a block. */
function endOf(storage: { dispose(): Promise<void> }): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => storage.dispose() }
}

/** What to seal with. */
interface Sealing {
  /** The secrets, the one that seals first. */
  readonly seals: readonly string[]
  /** The secrets that are kept beside the data, where it is these. */
  readonly keeping?: { readonly folder: string; readonly secrets: AppSecrets; readonly isNew: boolean }
}

async function sealingOf(storage: ItemSource, settings: MaintenanceSettings, makeNew: boolean): Promise<Sealing> {
  refuseImportLock(await storage.items.getItem(STORE_KEY))
  const folder = settings.storage.driver === 'file' ? folderOf(settings.storage) : undefined
  const kept = folder === undefined ? undefined : await storedSecrets(folder)
  if (settings.secret !== undefined) return { seals: givenSeals(settings, kept) }
  if (folder === undefined || !kept) throw missingSecret()
  const seals = [...allSeals(kept), ...settings.previousSecrets]
  // Whatever does not open now would never open again under a new one.
  await verifySecretCheck(storage, vaultOf(seals)).catch((error: unknown) => {
    if (!(error instanceof DecryptionError)) throw error
    throw new MaintenanceError('wrong_secret', mismatchedSecrets(folder).message, { cause: error })
  })
  if (!makeNew) return { seals, keeping: { folder, secrets: kept, isNew: false } }
  const secrets = { seal: makeSecrets().seal, session: kept.session, sealPrevious: seals }
  return { seals: allSeals(secrets), keeping: { folder, secrets, isNew: true } }
}

function vaultOf(seals: readonly string[]) {
  return createEncryption(seals, (bytes) => crypto.getRandomValues(bytes))
}

/** Whoever asks to seal under a secret of their own means to leave the kept one. */
function givenSeals({ secret, previousSecrets }: MaintenanceSettings, kept: AppSecrets | undefined): readonly string[] {
  if (secret === undefined) throw missingSecret()
  return [secret, ...previousSecrets, ...(kept ? allSeals(kept) : [])]
}

function missingSecret(): MaintenanceError {
  return new MaintenanceError('missing_secret', 'There is no secret to seal with.', {
    hint: 'Set FISH_SECRET, and FISH_SECRET_PREVIOUS to the one before.',
  })
}
