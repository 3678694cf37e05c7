import { changeConfig } from '../config/config-file.ts'
import { isSameService } from '../config/profile.ts'
import { settingValue } from '../config/settings.ts'
import type { Target } from '../config/target.ts'
import type { Config } from '../core/context.ts'
import { checkFileUpdate, fileStore } from './file-store.ts'
import { isKeyringFailure, type KeyringIo, keyringFailure, keyringStore, openKeyring } from './keyring.ts'
import type { SecretStore, UpdateSecrets } from './store.ts'
import { hasSecrets, type ProfileSecrets } from './store.ts'

type StoreKind = SecretStore['kind']

/** The store of a kind. @throws CliError when there is no keyring */
async function storeOf(context: KeyringIo, kind: StoreKind): Promise<SecretStore> {
  if (kind === 'file') return fileStore(context)
  const keyring = await openKeyring(context)
  if (!keyring.available) throw keyringFailure(keyring.why)
  return keyringStore(keyring.openEntry)
}

/** Where new secrets go: as FISH_SECRET_STORE or the setting say, else the keyring where there is one, else a file. */
async function storeForNew(context: KeyringIo, { settings }: Config): Promise<SecretStore> {
  const wanted = settingValue('secret-store', context.env, settings) ?? 'auto'
  if (wanted !== 'auto') return storeOf(context, wanted === 'file' ? 'file' : 'keyring')
  const keyring = await openKeyring(context)
  return keyring.available ? keyringStore(keyring.openEntry) : fileStore(context)
}

/**
 * The secrets of the profile that was selected, as far as they belong to the service that is talked to: whoever names
 * another address is not given this one's. Nothing is opened for a profile without secrets.
 */
export async function readSecrets(
  context: KeyringIo,
  { profile, url }: Pick<Target, 'profile' | 'url'>,
): Promise<ProfileSecrets | undefined> {
  if (profile?.secrets === undefined) return undefined
  const kept = await (await storeOf(context, profile.secrets)).get(profile.name)
  return kept && isSameService(kept.url, url.value) ? kept : undefined
}

/**
 * Changes the secrets of a profile. Those that remain go to where new ones go; they are in one store only, unless the
 * old one is a keyring that is gone.
 *
 * @returns Where they are now; `undefined` when none is left.
 */
export async function updateSecrets(
  context: KeyringIo,
  config: Config,
  name: string,
  alter: UpdateSecrets,
): Promise<SecretStore | undefined> {
  const old = await openOld(context, config.profiles.get(name)?.secrets, name)
  const first = alter(old?.before)
  if (!first || !hasSecrets(first)) {
    await old?.store().update(name, () => undefined)
    await noteStore(context, name, undefined)
    return undefined
  }
  const store = await storeForNew(context, config)
  const isMove = old !== undefined && old.kind !== store.kind
  await store.update(name, (kept) => alter(isMove ? old.before : kept))
  await noteStore(context, name, store.kind)
  if (isMove && !old.isGone) await old.store().update(name, () => undefined)
  return store
}

/**
 * Tries to keep secrets of a profile where new ones go, with nothing changed. Whether the profile itself can be changed
 * is for whoever changes it to try.
 *
 * @returns Where they would be.
 * @throws What {@link updateSecrets} would, as far as that can be known.
 */
export async function checkSecretsUpdate(context: KeyringIo, config: Config, name: string): Promise<SecretStore> {
  const old = await openOld(context, config.profiles.get(name)?.secrets, name)
  const store = await storeForNew(context, config)
  await tryChange(context, store, name, (kept) => kept ?? { url: '' })
  if (old && old.kind !== store.kind && !old.isGone) await tryChange(context, old.store(), name, () => undefined)
  return store
}

/** Of a keyring, only whether it answers can be known. */
async function tryChange(context: KeyringIo, store: SecretStore, name: string, alter: UpdateSecrets): Promise<void> {
  if (store.kind === 'file') checkFileUpdate(context, name, alter)
  else await store.get(name)
}

interface OldStore {
  readonly kind: StoreKind
  readonly before: ProfileSecrets | undefined
  readonly isGone: boolean
  /** @throws CliError when it is gone */
  readonly store: () => SecretStore
}

/** Where the secrets of a profile are. A keyring that is gone does not stand in the way of new secrets elsewhere. */
async function openOld(context: KeyringIo, kind: StoreKind | undefined, name: string): Promise<OldStore | undefined> {
  if (kind === undefined) return undefined
  try {
    const store = await storeOf(context, kind)
    return { kind, before: await store.get(name), isGone: false, store: () => store }
  } catch (error) {
    if (!isKeyringFailure(error)) throw error
    const store = () => {
      throw error
    }
    return { kind, before: undefined, isGone: true, store }
  }
}

/** Writes into the profile where its secrets are. */
async function noteStore(context: KeyringIo, name: string, secrets: StoreKind | undefined): Promise<void> {
  await changeConfig(context, (config) => {
    const profile = config.profiles.get(name)
    if (!profile || profile.secrets === secrets) return config
    return { ...config, profiles: new Map(config.profiles).set(name, { ...profile, secrets }) }
  })
}
