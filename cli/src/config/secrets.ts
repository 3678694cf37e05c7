import type { Config } from '../core/context.ts'
import { changeConfig } from './config-file.ts'
import { fileStore } from './file-store.ts'
import { isKeyringFailure, type KeyringContext, keyringFailure, keyringStore, openKeyring } from './keyring.ts'
import { isSameService } from './profile.ts'
import { hasSecrets, type ProfileSecrets, type SecretStore, type UpdateSecrets } from './secret-store.ts'
import { settingValue } from './settings.ts'
import type { Target } from './target.ts'

type StoreKind = SecretStore['kind']

async function storeOf(context: KeyringContext, kind: StoreKind): Promise<SecretStore> {
  if (kind === 'file') return fileStore(context)
  const keyring = await openKeyring(context)
  if (!keyring.available) throw keyringFailure(keyring.why)
  return keyringStore(keyring.openEntry)
}

async function storeForNew(context: KeyringContext, { settings }: Config): Promise<SecretStore> {
  const wanted = settingValue('secret-store', context.env, settings) ?? 'auto'
  if (wanted !== 'auto') return storeOf(context, wanted === 'file' ? 'file' : 'keyring')
  const keyring = await openKeyring(context)
  return keyring.available ? keyringStore(keyring.openEntry) : fileStore(context)
}

/**
 * Returns `undefined` if the secrets belong to another service, because secrets are never sent to a different address.
 */
export async function readSecrets(
  context: KeyringContext,
  { profile, url }: Pick<Target, 'profile' | 'url'>,
): Promise<ProfileSecrets | undefined> {
  if (profile?.secrets === undefined) return undefined
  const stored = await (await storeOf(context, profile.secrets)).get(profile.name)
  return stored && isSameService(stored.url, url.value) ? stored : undefined
}

/**
 * Updates the secrets of a profile, and moves the secrets to the store for new secrets. A copy of the secrets remains
 * in the old store only if the old store is a keyring that is unavailable.
 */
export async function updateSecrets(
  context: KeyringContext,
  config: Config,
  name: string,
  update: UpdateSecrets,
): Promise<void> {
  const old = await openOld(context, config.profiles.get(name)?.secrets, name)
  const first = update(old?.before)
  if (!first || !hasSecrets(first)) {
    if (old && 'error' in old) throw old.error
    await old?.remove()
    return recordStore(context, name, undefined)
  }
  const store = await storeForNew(context, config)
  const isMove = old !== undefined && old.kind !== store.kind
  await store.update(name, (stored) => update(isMove ? old.before : stored))
  await recordStore(context, name, store.kind)
  if (isMove && 'remove' in old) await old.remove()
}

/**
 * Returns the store for new secrets. Throws if this store or the store of the current secrets cannot be read. Changes
 * nothing.
 */
export async function checkSecretsUpdate(context: KeyringContext, config: Config, name: string): Promise<SecretStore> {
  await openOld(context, config.profiles.get(name)?.secrets, name)
  const store = await storeForNew(context, config)
  await store.get(name)
  return store
}

/** An unavailable keyring does not prevent storing new secrets elsewhere. */
async function openOld(context: KeyringContext, kind: StoreKind | undefined, name: string) {
  if (kind === undefined) return undefined
  try {
    const store = await storeOf(context, kind)
    return { kind, before: await store.get(name), remove: () => store.update(name, () => undefined) }
  } catch (error) {
    if (!isKeyringFailure(error)) throw error
    return { kind, before: undefined, error }
  }
}

async function recordStore(context: KeyringContext, name: string, secrets: StoreKind | undefined): Promise<void> {
  await changeConfig(context, (config) => {
    const profile = config.profiles.get(name)
    if (!profile || profile.secrets === secrets) return config
    return { ...config, profiles: new Map(config.profiles).set(name, { ...profile, secrets }) }
  })
}
