import type { ConfigDocument } from '../config/config-file.ts'
import { changeConfig, checkConfigChange } from '../config/config-file.ts'
import { isSameService } from '../config/profile.ts'
import type { Selection } from '../config/selection.ts'
import { settingValue } from '../config/settings.ts'
import { checkFileUpdate, fileStore } from './file-store.ts'
import { isKeyringFailure, type KeyringIo, keyringFailure, keyringStore, openKeyring } from './keyring.ts'
import type { SecretStore, UpdateSecrets } from './store.ts'
import { hasSecrets, type ProfileSecrets } from './store.ts'

type StoreKind = SecretStore['kind']

/** The store of a kind. @throws CliError when there is no keyring */
async function storeOf(io: KeyringIo, kind: StoreKind): Promise<SecretStore> {
  if (kind === 'file') return fileStore(io)
  const keyring = await openKeyring(io)
  if (!keyring.available) throw keyringFailure(keyring.why)
  return keyringStore(keyring.openEntry)
}

/** Where new secrets go: as FISH_SECRET_STORE or the setting say, else the keyring where there is one, else a file. */
async function storeForNew(io: KeyringIo, { settings }: ConfigDocument): Promise<SecretStore> {
  const wanted = settingValue('secret-store', io.env, settings) ?? 'auto'
  if (wanted !== 'auto') return storeOf(io, wanted === 'file' ? 'file' : 'keyring')
  const keyring = await openKeyring(io)
  return keyring.available ? keyringStore(keyring.openEntry) : fileStore(io)
}

/**
 * The secrets of the profile that was selected, as far as they belong to the service that is talked to: whoever names
 * another address is not given this one's. Nothing is opened for a profile without secrets.
 */
export async function readSecrets(
  io: KeyringIo,
  { profile, url }: Pick<Selection, 'profile' | 'url'>,
): Promise<ProfileSecrets | undefined> {
  if (profile?.secrets === undefined) return undefined
  const kept = await (await storeOf(io, profile.secrets)).get(profile.name)
  return kept && isSameService(kept.url, url.value) ? kept : undefined
}

/**
 * Changes the secrets of a profile. Those that remain go to where new ones go; they are in one store only, unless the
 * old one is a keyring that is gone.
 *
 * @returns Where they are now; `undefined` when none is left.
 */
export async function updateSecrets(
  io: KeyringIo,
  config: ConfigDocument,
  name: string,
  alter: UpdateSecrets,
): Promise<SecretStore | undefined> {
  const old = await openOld(io, config.profiles.get(name)?.secrets, name)
  const first = alter(old?.before)
  if (!first || !hasSecrets(first)) {
    await old?.store().update(name, () => undefined)
    await noteStore(io, name, undefined)
    return undefined
  }
  const store = await storeForNew(io, config)
  const isMove = old !== undefined && old.kind !== store.kind
  await store.update(name, (kept) => alter(isMove ? old.before : kept))
  await noteStore(io, name, store.kind)
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
export async function checkSecretsUpdate(io: KeyringIo, config: ConfigDocument, name: string): Promise<SecretStore> {
  const old = await openOld(io, config.profiles.get(name)?.secrets, name)
  const store = await storeForNew(io, config)
  await tryChange(io, store, name, (kept) => kept ?? { url: '' })
  if (old && old.kind !== store.kind && !old.isGone) await tryChange(io, old.store(), name, () => undefined)
  return store
}

/** Tries to forget the secrets of a profile, with nothing changed. @throws What {@link updateSecrets} would, as far as that can be known */
export async function checkSecretsRemoval(io: KeyringIo, config: ConfigDocument, name: string): Promise<void> {
  const old = await openOld(io, config.profiles.get(name)?.secrets, name)
  if (old) await tryChange(io, old.store(), name, () => undefined)
  checkConfigChange(io, (current) => current)
}

/** Of a keyring, only whether it answers can be known. */
async function tryChange(io: KeyringIo, store: SecretStore, name: string, alter: UpdateSecrets): Promise<void> {
  if (store.kind === 'file') checkFileUpdate(io, name, alter)
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
async function openOld(io: KeyringIo, kind: StoreKind | undefined, name: string): Promise<OldStore | undefined> {
  if (kind === undefined) return undefined
  try {
    const store = await storeOf(io, kind)
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
async function noteStore(io: KeyringIo, name: string, secrets: StoreKind | undefined): Promise<void> {
  await changeConfig(io, (config) => {
    const profile = config.profiles.get(name)
    if (!profile || profile.secrets === secrets) return config
    return { ...config, profiles: new Map(config.profiles).set(name, { ...profile, secrets }) }
  })
}
