import { join } from 'node:path'
import type { AppSecrets } from '../../app/options.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRETS_BASE } from '../../app/store/item-keys.ts'
import { refuseUnfinished } from '../../app/store/store-id.ts'
import { DecryptionError, type Encryption } from '../../app/users/encryption.ts'
import {
  ensureSecretCheck,
  finishSecretCheck,
  type ItemSource,
  verifySecretCheck,
} from '../../app/users/secret-check.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { prepareItemReads } from '../../storage/file/reader.ts'
import { checkStore } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { makeSecrets, mismatchedSecrets, readSecrets, SECRETS_FILE, writeSecrets } from '../secrets-file.ts'
import { useStorage, withLockedFolder } from './folder.ts'
import {
  type DryRunOption,
  type DryRunReport,
  MaintenanceError,
  type MaintenanceOptions,
  type MaintenanceSettings,
  maintain,
  readMaintenanceSettings,
} from './maintenance.ts'
import { atRestSecrets, encryptionWith, openStore, storeFileOf } from './store.ts'

/** Options of {@link rotateSecret}. */
export interface RotateSecretOptions extends ConfigSource, MaintenanceOptions, DryRunOption {
  /** First replace the secret beside the data by a new one. File stores only. */
  readonly makeNew?: boolean
}

/** Outcome of {@link rotateSecret}; in a dry run, what it would be. */
export interface RotateSecretReport extends DryRunReport {
  /** Encrypted keys that were checked. */
  readonly seen: number
  /** Keys that were encrypted again; the others had the current secret. */
  readonly resealed: number
  /** Ids of users whose key no secret decrypts. It is left unchanged. */
  readonly unopened: readonly string[]
}

/**
 * Encrypts every key with `FISH_SECRET`, else with the secret beside the data. No server may use a file
 * store meanwhile; servers on a Redis may. Safe to interrupt at any moment, and to run again. A dry run decrypts every key.
 * @throws MaintenanceError
 */
export function rotateSecret(options: RotateSecretOptions): Promise<RotateSecretReport> {
  const { makeNew = false, dryRun = false, onProgress, signal } = options
  const step = dryRun ? 'check' : 'rotate'
  const report = (done: number, total: number) => onProgress?.({ step, unit: 'keys', done, total })
  const run = async () => {
    const settings = readMaintenanceSettings(options)
    checkSettings(settings, makeNew)
    return withStorage(settings, dryRun, async (source, target) => {
      const { secrets, stored } = await planSecrets(source, settings, makeNew)
      if (target && stored?.isNew) await writeSecrets(stored.folder, stored.secrets)
      const encryption = encryptionWith(secrets)
      const counts = await reencryptAll({ source, target, encryption, report, signal })
      if (!target) return { ...counts, dryRun: true as const }
      if (counts.unopened.length === 0 && stored?.secrets.previousEncryption) {
        const { previousEncryption: _, ...current } = stored.secrets
        await writeSecrets(stored.folder, current)
      }
      return counts
    })
  }
  const interruption = dryRun
    ? { state: 'Nothing was changed.' }
    : { state: 'Keys that the new secret encrypts stay so.', hint: 'Run the rotation again to finish.' }
  return maintain(run, { signal, ...interruption })
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

/** Calls `use` with the storage to read, and the one to write unless it is a dry run. Locks a file store. */
async function withStorage<Result>(
  { storage }: MaintenanceSettings,
  dryRun: boolean,
  use: (source: ItemSource, target?: FishStorage) => Promise<Result>,
): Promise<Result> {
  if (!dryRun) {
    return useStorage(storage, (target) => use(target, target))
  }
  if (storage.driver !== 'file') {
    const { openRedisReader } = await import('../../storage/redis/redis.ts')
    const reader = await openRedisReader(storage)
    return use(reader).finally(() => reader.dispose())
  }
  return withLockedFolder(storage.path, true, async (folder) => {
    checkStore(storeFileOf(folder))
    using db = openStore(folder)
    const { item, page } = prepareItemReads(db)
    return await use({ items: { getItem: async (key) => item(key) }, listItems: async (range) => page(range) })
  })
}

interface SecretsPlan {
  readonly secrets: readonly string[]
  /** The secrets beside the data, if these are used. */
  readonly stored?: { readonly folder: string; readonly secrets: AppSecrets; readonly isNew: boolean }
}

async function planSecrets(
  source: ItemSource,
  { storage, secret, previousSecrets }: MaintenanceSettings,
  makeNew: boolean,
): Promise<SecretsPlan> {
  refuseUnfinished(await source.items.getItem(STORE_KEY))
  const folder = storage.driver === 'file' ? storage.path : undefined
  const stored = folder === undefined ? undefined : await readSecrets(folder)
  const older = stored ? atRestSecrets(stored) : []
  // A given secret replaces the one beside the data.
  if (secret !== undefined) return { secrets: [secret, ...previousSecrets, ...older] }
  if (folder === undefined) throw missingSecret()
  if (!stored) throw missingStoredSecret(folder)
  const secrets = [...older, ...previousSecrets]
  // A key that cannot be decrypted now never could be with a new secret.
  await verifySecretCheck(source, encryptionWith(secrets)).catch((error: unknown) => {
    if (!(error instanceof DecryptionError)) throw error
    throw new MaintenanceError('wrong_secret', mismatchedSecrets(folder).message, { cause: error })
  })
  if (!makeNew) return { secrets, stored: { folder, secrets: stored, isNew: false } }
  const renewed = { ...makeSecrets(), session: stored.session, previousEncryption: secrets }
  return { secrets: atRestSecrets(renewed), stored: { folder, secrets: renewed, isNew: true } }
}

function missingSecret(): MaintenanceError {
  return new MaintenanceError('missing_secret', 'FISH_SECRET, the new secret, is not set.', {
    hint: 'Set FISH_SECRET, and FISH_SECRET_PREVIOUS to the previous secret.',
  })
}

/** Also of an import, whose keys are encrypted with the secret of the store that was exported. */
function missingStoredSecret(folder: string): MaintenanceError {
  const message = `${join(folder, SECRETS_FILE)} is missing, and FISH_SECRET is not set.`
  return new MaintenanceError('missing_secret', message, {
    hint: 'Restore it, or set FISH_SECRET_PREVIOUS to the secret that decrypts the keys and FISH_SECRET to a new one.',
  })
}

interface RotationOptions {
  readonly source: ItemSource
  /** The same storage; absent to count what would be encrypted again and write nothing. */
  readonly target: FishStorage | undefined
  readonly encryption: Encryption
  readonly report: (done: number, total: number) => void
  readonly signal: AbortSignal | undefined
}

const PAGE_ITEMS = 768

/**
 * Encrypts every key with the current secret, each by compare-and-replace: servers may run meanwhile, and a key that is
 * reset or removed stays so. After an interruption, the next run continues. At the end, the other secrets are removed
 * from the secret check.
 * @throws DecryptionError before anything is changed, when a secret is missing that something may be encrypted with
 */
async function reencryptAll(options: RotationOptions): Promise<Omit<RotateSecretReport, 'dryRun'>> {
  const { source, target, encryption } = options
  // First of all, so that the check names the current secret also after an interruption.
  if (target) await ensureSecretCheck(target, encryption)
  let resealed = 0
  while (true) {
    const check = await verifySecretCheck(source, encryption)
    const { seen, changed, unopened } = await reencryptEach(options)
    resealed += changed
    const counts = { seen, resealed, unopened }
    if (!target) return counts
    // A server that still encrypts with another secret may have written after this pass.
    if (changed > 0) continue
    if (unopened.length > 0 || check === null || (await finishSecretCheck(target, encryption, check))) return counts
  }
}

async function reencryptEach({ source, target, encryption, report, signal }: RotationOptions) {
  let [total, seen, changed] = [0, 0, 0]
  const unopened: string[] = []
  for await (const page of encryptedPages(source, signal)) total += page.length
  report(seen, total)
  for await (const page of encryptedPages(source, signal)) {
    await Promise.all(
      page.map(async ({ key, value, owner }) => {
        seen += 1
        const reencrypted = await encryption.reencrypt(value, owner).catch((error: unknown) => {
          if (!(error instanceof DecryptionError)) throw error
          unopened.push(owner)
          return value
        })
        if (reencrypted === value) return
        if (!target || (await target.replaceItemIf(key, value, reencrypted))) changed += 1
      }),
    )
    report(seen, total)
  }
  return { seen, changed, unopened }
}

async function* encryptedPages(storage: ItemSource, signal: AbortSignal | undefined) {
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
