import { CliError, EXIT } from '../core/errors.ts'
import { parseJsonText } from '../core/parse-values.ts'
import type { KeyringEntry, OpenEntry, System } from '../core/system.ts'
import type { SecretStore } from './secret-store.ts'

type Keyring =
  | { readonly available: true; readonly openEntry: OpenEntry }
  | { readonly available: false; readonly why: string }

export async function openKeyring({ env, keyring }: System): Promise<Keyring> {
  if (keyring) return { available: true, openEntry: keyring }
  // Without a session bus, the Secret Service is missing, so the library does not have to be loaded.
  if (process.platform === 'linux' && !env.DBUS_SESSION_BUS_ADDRESS) {
    return { available: false, why: 'No session bus (DBUS_SESSION_BUS_ADDRESS).' }
  }
  // The library is an optional dependency, because its binary does not exist for every platform.
  const library = await import('@napi-rs/keyring').catch(() => undefined)
  if (!library) return { available: false, why: `@napi-rs/keyring is not installed for this platform.` }
  // On Linux, the library would fall back to the kernel keyring, which loses its entries when the machine restarts.
  const openEntry: OpenEntry = (service, account) =>
    new library.AsyncEntry(service, account, { linux: { store: 'secret-service' } })
  try {
    openEntry('fish-crab', 'probe')
    return { available: true, openEntry }
  } catch {
    return { available: false, why: 'No keyring responds.' }
  }
}

// Time for a person to unlock the keyring.
const TIMEOUT_MS = 60_000
const SERVICE = 'fish-crab'
const UNAVAILABLE = 'keyring_unavailable'

/**
 * Stores secrets in the system's keyring, such as Keychain, Credential Manager or GNOME Keyring. Each profile has one
 * entry.
 */
export function keyringStore(openEntry: OpenEntry): SecretStore {
  const act = async <Result>(profile: string, action: (entry: KeyringEntry) => Promise<Result>): Promise<Result> => {
    try {
      return await withTimeout(action(openEntry(SERVICE, profile)))
    } catch (error) {
      // The library's message may contain secrets, so it is not reported.
      throw error instanceof CliError ? error : keyringFailure('The keyring is locked, or denied access to fish-cli.')
    }
  }
  const get = (profile: string) => act(profile, async (entry) => parseJsonText((await entry.getPassword()) ?? ''))
  return {
    kind: 'keyring',
    title: "the system's keyring",
    get,
    // A keyring has no lock: of two concurrent logins into one profile, the later login wins.
    async update(profile, update) {
      const stored = await get(profile)
      const updated = update(stored)
      if (updated) await act(profile, (entry) => entry.setPassword(JSON.stringify(updated)))
      else if (stored !== undefined) await act(profile, (entry) => entry.deletePassword())
    },
  }
}

export function keyringFailure(why: string): CliError {
  return new CliError({
    code: UNAVAILABLE,
    message: `The system's keyring is not available. ${why}`,
    hint: 'Unlock the keyring, or keep secrets in a file: fish-cli config secret-store file',
    exit: EXIT.credentials,
  })
}

export function isKeyringFailure(error: unknown): boolean {
  return error instanceof CliError && error.code === UNAVAILABLE
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(keyringFailure(`The keyring did not respond within ${TIMEOUT_MS / 1000} s.`)),
    TIMEOUT_MS,
  )
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
