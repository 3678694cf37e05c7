import type { AppSecrets } from '../../app/options.ts'
import { checkFinished } from '../../app/store-mark.ts'
import { resealAll } from '../../app/users/reseal.ts'
import { openSealCheck } from '../../app/users/seal-check.ts'
import { createVault } from '../../app/users/vault.ts'
import { createStorage } from '../../storage/index.ts'
import type { FishStorage } from '../../storage/types.ts'
import type { ConfigSource } from '../config.ts'
import { keepSecrets, keptSecrets, makeSecrets } from '../secrets-file.ts'
import { allSeals } from './kept-secrets.ts'
import { MaintenanceError, maintain } from './maintenance-error.ts'
import { folderOf, type MaintenanceSettings, readMaintenanceSettings } from './maintenance-settings.ts'
import type { ProgressOptions } from './progress.ts'
import { storeFileOf } from './store-file.ts'

/** What {@link resealStore} takes. */
export interface ResealStoreOptions extends ConfigSource, ProgressOptions {
  /** Make a new secret beside the data first, in place of the one that was made before. File stores only. */
  readonly makeNew?: boolean
  readonly signal?: AbortSignal
}

/**
 * Seals every key anew under `FISH_SECRET`, or under the secret beside the data where none is given. A file store must
 * not be served meanwhile, a Redis may be. Safe to interrupt at any moment, and to do again.
 * @throws MaintenanceError
 */
export function resealStore({ makeNew = false, onProgress, signal, ...source }: ResealStoreOptions) {
  return maintain(async () => {
    const settings = readMaintenanceSettings(source)
    const isFile = settings.storage.driver === 'file'
    if (isFile) storeFileOf(folderOf(settings.storage))
    if (settings.storage.driver === 'memory') folderOf(settings.storage)
    if (makeNew && (!isFile || settings.secret !== undefined)) {
      throw new MaintenanceError(
        'invalid_settings',
        'A new secret is made only for a file store whose secret is kept beside the data.',
        {
          hint: 'Put the new secret into FISH_SECRET and the one before into FISH_SECRET_PREVIOUS instead.',
        },
      )
    }
    if (!isFile && settings.secret === undefined) throw missingSecret()
    const work = {
      onProgress: ({ seen }: { readonly seen: number }) => onProgress?.({ step: 'reseal', unit: 'keys', done: seen }),
      ...(signal ? { signal } : {}),
    }
    // A file store is locked from here on, and its secrets with it.
    const storage = await createStorage(settings.storage)
    try {
      await checkFinished(storage)
      if (!isFile || settings.secret !== undefined) {
        const kept = isFile ? await keptSecrets(folderOf(settings.storage)) : undefined
        return await resealAll({ storage, vault: vaultOf(givenSeals(settings, kept)), ...work })
      }
      const folder = folderOf(settings.storage)
      const secrets = await keptOrNew({ folder, storage, settings, makeNew })
      const seals = [...allSeals(secrets), ...settings.previousSecrets]
      const counts = await resealAll({ storage, vault: vaultOf(seals), ...work })
      if (counts.unopened.length === 0 && secrets.sealPrevious) {
        await keepSecrets(folder, { seal: secrets.seal, session: secrets.session })
      }
      return counts
    } finally {
      await storage.dispose()
    }
  })
}

function vaultOf(seals: readonly string[]) {
  return createVault(seals, (bytes) => crypto.getRandomValues(bytes))
}

/** Whoever asks to seal under a secret of their own means to leave the kept one. */
function givenSeals({ secret, previousSecrets }: MaintenanceSettings, kept: AppSecrets | undefined): readonly string[] {
  if (secret === undefined) throw missingSecret()
  return [secret, ...previousSecrets, ...(kept ? allSeals(kept) : [])]
}

interface Keeping {
  readonly folder: string
  readonly storage: FishStorage
  readonly settings: MaintenanceSettings
  readonly makeNew: boolean
}

async function keptOrNew({ folder, storage, settings, makeNew }: Keeping): Promise<AppSecrets> {
  const kept = await keptSecrets(folder)
  if (!kept) throw missingSecret()
  if (!makeNew) return kept
  // Whatever does not open now would never open again.
  await openSealCheck(storage, vaultOf([...allSeals(kept), ...settings.previousSecrets]))
  const sealPrevious = [...allSeals(kept), ...settings.previousSecrets]
  const secrets = { seal: makeSecrets().seal, session: kept.session, sealPrevious }
  await keepSecrets(folder, secrets)
  return secrets
}

function missingSecret(): MaintenanceError {
  return new MaintenanceError('missing_secret', 'There is no secret to seal with.', {
    hint: 'Set FISH_SECRET, and FISH_SECRET_PREVIOUS to the one before.',
  })
}
