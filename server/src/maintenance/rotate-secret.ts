import { join } from 'node:path'
import type { AppSecrets } from '../app/options.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRETS_BASE } from '../app/store/item-keys.ts'
import { refuseUnfinished } from '../app/store/store-id.ts'
import { DecryptionError, type Encryption } from '../app/users/encryption.ts'
import { ensureSecretCheck, finishSecretCheck, verifySecretCheck } from '../app/users/secret-check.ts'
import type { ConfigSource } from '../node/config.ts'
import { makeSecrets, mismatchedSecrets, readSecrets, SECRETS_FILE, writeSecrets } from '../node/secrets-file.ts'
import { STORE_KEY } from '../storage/core/keys.ts'
import type { FishStorage } from '../storage/core/types.ts'
import { useStorage } from './core/folder.ts'
import {
  MaintenanceError,
  type MaintenanceOptions,
  type MaintenanceSettings,
  maintain,
  readMaintenanceSettings,
} from './core/maintenance.ts'
import { atRestSecrets, encryptionWith, storeFileOf } from './core/store.ts'

/** Options of {@link rotateSecret}. */
export interface RotateSecretOptions extends ConfigSource, MaintenanceOptions {
  /**
   * Whether to replace both secrets beside the data by new secrets first, which ends all sessions of administrators.
   * Supported only for file stores.
   */
  readonly makeNew?: boolean
}

/** Outcome of {@link rotateSecret}. */
export interface RotateSecretReport {
  /** Encrypted keys that were checked. */
  readonly seen: number
  /** Keys that were encrypted again. All other keys were already encrypted with the current secret. */
  readonly reencrypted: number
  /** Ids of users whose key no secret decrypts. Their keys stay unchanged. */
  readonly undecryptable: readonly string[]
}

/**
 * Encrypts every key with `FISH_SECRET`, or else with the secret beside the data. A file store must not be in use by a
 * server. Servers on a Redis can keep running. The function can be interrupted at any moment, and run again.
 * @throws MaintenanceError
 */
export function rotateSecret(options: RotateSecretOptions): Promise<RotateSecretReport> {
  const { makeNew = false, onProgress, signal } = options
  const report = (done: number, total: number) => onProgress?.({ step: 'rotate', unit: 'keys', done, total })
  const run = async () => {
    const settings = readMaintenanceSettings(options)
    checkSettings(settings, makeNew)
    return useStorage(settings.storage, async (storage) => {
      const { secrets, stored } = await planSecrets(storage, settings, makeNew)
      if (stored?.isNew) await writeSecrets(stored.folder, stored.secrets)
      const counts = await reencryptAll({ storage, encryption: encryptionWith(secrets), report, signal })
      if (counts.undecryptable.length === 0 && stored?.secrets.previousEncryption) {
        const { previousEncryption: _, ...current } = stored.secrets
        await writeSecrets(stored.folder, current)
      }
      return counts
    })
  }
  const state = 'Keys that the new secret encrypts stay so.'
  return maintain(run, { signal, state, hint: 'Run the rotation again to finish.' })
}

function checkSettings({ storage, secret }: MaintenanceSettings, makeNew: boolean): void {
  const isFile = storage.driver === 'file'
  if (isFile) storeFileOf(storage.path)
  if (makeNew && (!isFile || secret !== undefined)) {
    const message = 'A new secret can only be generated for a file store whose secret is in its data folder.'
    throw new MaintenanceError('invalid_settings', message, {
      hint: 'Set FISH_SECRET to the new secret and FISH_SECRET_PREVIOUS to the previous one instead.',
    })
  }
  if (!isFile && secret === undefined) throw missingSecret()
}

interface SecretsPlan {
  readonly secrets: readonly string[]
  /** The secrets beside the data, if they are in use. */
  readonly stored?: { readonly folder: string; readonly secrets: AppSecrets; readonly isNew: boolean }
}

async function planSecrets(
  source: FishStorage,
  { storage, secret, previousSecrets }: MaintenanceSettings,
  makeNew: boolean,
): Promise<SecretsPlan> {
  refuseUnfinished(await source.items.getItem(STORE_KEY))
  const folder = storage.driver === 'file' ? storage.path : undefined
  const stored = folder === undefined ? undefined : await readSecrets(folder)
  const older = stored ? atRestSecrets(stored) : []
  // A given secret replaces the secret beside the data.
  if (secret !== undefined) return { secrets: [secret, ...previousSecrets, ...older] }
  if (folder === undefined) throw missingSecret()
  if (!stored) throw missingStoredSecret(folder)
  const secrets = [...older, ...previousSecrets]
  // A key that cannot be decrypted now would stay undecryptable after the secrets are replaced.
  await verifySecretCheck(source, encryptionWith(secrets)).catch((error: unknown) => {
    if (!(error instanceof DecryptionError)) throw error
    throw new MaintenanceError('wrong_secret', mismatchedSecrets(folder).message, { cause: error })
  })
  if (!makeNew) return { secrets, stored: { folder, secrets: stored, isNew: false } }
  const renewed = { ...makeSecrets(), previousEncryption: secrets }
  return { secrets: atRestSecrets(renewed), stored: { folder, secrets: renewed, isNew: true } }
}

function missingSecret(): MaintenanceError {
  return new MaintenanceError('missing_secret', 'FISH_SECRET, the new secret, is not set.', {
    hint: 'Set FISH_SECRET, and FISH_SECRET_PREVIOUS to the previous secret.',
  })
}

function missingStoredSecret(folder: string): MaintenanceError {
  const message = `${join(folder, SECRETS_FILE)} is missing, and FISH_SECRET is not set.`
  return new MaintenanceError('missing_secret', message, {
    hint: 'Restore it, or set FISH_SECRET_PREVIOUS to the secret that decrypts the keys and FISH_SECRET to a new one.',
  })
}

interface RotationOptions {
  readonly storage: FishStorage
  readonly encryption: Encryption
  readonly report: (done: number, total: number) => void
  readonly signal: AbortSignal | undefined
}

const PAGE_ITEMS = 768

/**
 * Encrypts every key with the current secret. Each key is replaced only if it has not changed, so that a running server
 * can reset or remove keys. After an interruption, the next run continues. At the end, the other secrets are removed
 * from the secret check. @throws DecryptionError before anything is changed, if a secret is missing that a key may
 * still need
 */
async function reencryptAll(options: RotationOptions): Promise<RotateSecretReport> {
  const { storage, encryption } = options
  // This step is first, so that the check names the current secret even after an interruption.
  await ensureSecretCheck(storage, encryption)
  let reencrypted = 0
  while (true) {
    const check = await verifySecretCheck(storage, encryption)
    const { seen, changed, undecryptable } = await reencryptEach(options)
    reencrypted += changed
    const counts = { seen, reencrypted, undecryptable }
    // Run another pass, because a server that still encrypts with an older secret may have written keys that this pass
    // missed.
    if (changed > 0) continue
    if (undecryptable.length > 0 || check === null || (await finishSecretCheck(storage, encryption, check)))
      return counts
  }
}

async function reencryptEach({ storage, encryption, report, signal }: RotationOptions) {
  let [total, seen, changed] = [0, 0, 0]
  const undecryptable: string[] = []
  for await (const page of encryptedPages(storage, signal)) total += page.length
  report(seen, total)
  for await (const page of encryptedPages(storage, signal)) {
    await Promise.all(
      page.map(async ({ key, value, owner }) => {
        seen += 1
        const reencrypted = await encryption.reencrypt(value, owner).catch((error: unknown) => {
          if (!(error instanceof DecryptionError)) throw error
          undecryptable.push(owner)
          return value
        })
        if (reencrypted === value) return
        if (await storage.replaceItemIf(key, value, reencrypted)) changed += 1
      }),
    )
    report(seen, total)
  }
  return { seen, changed, undecryptable }
}

async function* encryptedPages(storage: FishStorage, signal: AbortSignal | undefined) {
  let after: string | undefined
  do {
    signal?.throwIfAborted()
    const range = { base: SECRETS_BASE, contains: ENCRYPTED_PART, limit: PAGE_ITEMS }
    const page = await storage.listItems({ ...range, ...(after === undefined ? {} : { after }) })
    yield page.items.flatMap(({ key, value }) => {
      const owner = ownerOfEncrypted(key)
      return owner === undefined ? [] : [{ key, value, owner }]
    })
    after = page.next
  } while (after !== undefined)
}
