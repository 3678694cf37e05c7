import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../core/parse-values.ts'
import type { System } from '../core/system.ts'
import { applyLogin, type Config, changeConfig, type LoginTarget } from './profiles.ts'
import type { AdminSession, ProfileSecrets, SecretStore, UpdateSecrets } from './secret-store.ts'
import { settingValue } from './settings.ts'
import type { Target } from './target.ts'

function hasSecrets({ fernetKey, apiKey, session }: ProfileSecrets): boolean {
  return fernetKey !== undefined || apiKey !== undefined || session !== undefined
}

/**
 * Adds fetched secrets to stored secrets. Stored secrets of another service and stored keys of another player are
 * discarded.
 */
function mergeLogin(stored: ProfileSecrets | undefined, fetched: ProfileSecrets): ProfileSecrets {
  if (!stored || !isSameService(stored.url, fetched.url)) return fetched
  const { user, fernetKey, apiKey, session } = stored
  const isOther = fetched.user !== undefined && (user === undefined || userNameKey(user) !== userNameKey(fetched.user))
  const own = isOther ? {} : { user, fernetKey, apiKey }
  return { session, ...own, ...fetched }
}

type StoreKind = SecretStore['kind']

async function storeOf(system: System, kind: StoreKind): Promise<SecretStore> {
  if (kind === 'file') return (await import('./file-store.ts')).fileStore(system)
  const { keyringFailure, keyringStore, openKeyring } = await import('./keyring.ts')
  const keyring = await openKeyring(system)
  if (!keyring.available) throw keyringFailure(keyring.why)
  return keyringStore(keyring.openEntry)
}

async function storeForNew(system: System, { settings }: Config): Promise<SecretStore> {
  const wanted = settingValue('secret-store', system.env, settings) ?? 'auto'
  if (wanted !== 'auto') return storeOf(system, wanted === 'file' ? 'file' : 'keyring')
  const { keyringStore, openKeyring } = await import('./keyring.ts')
  const keyring = await openKeyring(system)
  return keyring.available ? keyringStore(keyring.openEntry) : storeOf(system, 'file')
}

/**
 * Returns `undefined` if the secrets belong to another service, because secrets are never sent to a different address.
 */
export async function readSecrets(
  system: System,
  { profile, url }: Pick<Target, 'profile' | 'url'>,
): Promise<ProfileSecrets | undefined> {
  if (profile?.secrets === undefined) return undefined
  const stored = parseSecrets(await (await storeOf(system, profile.secrets)).get(profile.name))
  return stored && isSameService(stored.url, url.value) ? stored : undefined
}

/**
 * Updates the secrets of a profile, and moves the secrets to the store for new secrets. A copy of the secrets remains
 * in the old store only if the old store is a keyring that is unavailable.
 */
export async function updateSecrets(
  system: System,
  config: Config,
  name: string,
  update: UpdateSecrets,
): Promise<void> {
  const old = await openOld(system, config.profiles.get(name)?.secrets, name)
  const first = update(old?.before)
  if (!first || !hasSecrets(first)) {
    if (old && 'error' in old) throw old.error
    await old?.remove()
    return recordStore(system, name, undefined)
  }
  const store = await storeForNew(system, config)
  const isMove = old !== undefined && old.kind !== store.kind
  await store.update(name, (stored) => update(isMove ? old.before : parseSecrets(stored)))
  await recordStore(system, name, store.kind)
  if (isMove && 'remove' in old) await old.remove()
}

/** Saves a login in a profile, and its secrets. */
export async function saveLogin(
  system: System,
  name: string,
  login: LoginTarget,
  fetched: ProfileSecrets,
): Promise<void> {
  const config = await changeConfig(system, (current) => applyLogin(current, name, login))
  await updateSecrets(system, config, name, (stored) => mergeLogin(stored, fetched))
}

/**
 * Returns the store for new secrets. Throws if this store or the store of the current secrets cannot be read. Changes
 * nothing.
 */
export async function checkSecretsUpdate(system: System, config: Config, name: string): Promise<SecretStore> {
  await openOld(system, config.profiles.get(name)?.secrets, name)
  const store = await storeForNew(system, config)
  await store.get(name)
  return store
}

/** An unavailable keyring does not prevent storing new secrets elsewhere. */
async function openOld(system: System, kind: StoreKind | undefined, name: string) {
  if (kind === undefined) return undefined
  try {
    const store = await storeOf(system, kind)
    return { kind, before: parseSecrets(await store.get(name)), remove: () => store.update(name, () => undefined) }
  } catch (error) {
    if (!(await import('./keyring.ts')).isKeyringFailure(error)) throw error
    return { kind, before: undefined, error }
  }
}

async function recordStore(system: System, name: string, secrets: StoreKind | undefined): Promise<void> {
  await changeConfig(system, (config) => {
    const profile = config.profiles.get(name)
    if (!profile || profile.secrets === secrets) return config
    return { ...config, profiles: new Map(config.profiles).set(name, { ...profile, secrets }) }
  })
}

/** Returns `undefined` for data that this program did not write. */
function parseSecrets(value: unknown): ProfileSecrets | undefined {
  const { url, user = '', fernetKey = '', apiKey = '', session } = Object(value)
  const { username, token, expiresAt } = session === undefined ? NO_SESSION : Object(session)
  const texts = [url, user, fernetKey, apiKey, username, token, expiresAt]
  return texts.every((text) => typeof text === 'string') ? (value as ProfileSecrets) : undefined
}

const NO_SESSION: AdminSession = { username: '', token: '', expiresAt: '' }
