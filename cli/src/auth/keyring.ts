import type { Context, KeyringEntry, OpenEntry } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { parseSecrets, type SecretStore } from './store.ts'

/** What of the surroundings decides about a keyring. */
export type KeyringIo = Pick<Context, 'env' | 'keyring'>

/** Whether there is a keyring, and how its entries are opened or why not. */
type Keyring =
  | { readonly available: true; readonly openEntry: OpenEntry }
  | { readonly available: false; readonly why: string }

const LIBRARY = '@napi-rs/keyring'

/** Looks for the keyring of the system. */
export async function openKeyring({ env, keyring }: KeyringIo): Promise<Keyring> {
  if (keyring) return { available: true, openEntry: keyring }
  // Without a session bus there is no Secret Service, and nothing has to be loaded to know.
  if (process.platform === 'linux' && !env.DBUS_SESSION_BUS_ADDRESS) {
    return { available: false, why: 'There is no session bus (DBUS_SESSION_BUS_ADDRESS).' }
  }
  const library = await load()
  if (!library) return { available: false, why: `${LIBRARY} is not installed for this platform.` }
  // The library's own second choice on Linux, the kernel's keyring, forgets everything when the machine restarts.
  const openEntry: OpenEntry = (service, account) =>
    new library.AsyncEntry(service, account, { linux: { store: 'secret-service' } })
  try {
    openEntry('fish-crab', 'probe')
    return { available: true, openEntry }
  } catch {
    return { available: false, why: 'No keyring answers.' }
  }
}

// It is an optional dependency: its binary is not there for every platform.
async function load(): Promise<typeof import('@napi-rs/keyring') | undefined> {
  try {
    return await import('@napi-rs/keyring')
  } catch {
    return undefined
  }
}

// Time enough for a person to unlock a keyring that asks.
const PATIENCE_MS = 60_000
const SERVICE = 'fish-crab'
const UNAVAILABLE = 'keyring_unavailable'

/**
 * Secrets in the keyring of the system: Keychain, Credential Manager, or a Secret Service such as GNOME Keyring, KWallet
 * and KeePassXC. One entry for each profile.
 */
export function keyringStore(openEntry: OpenEntry): SecretStore {
  const act = async <Result>(profile: string, deed: (entry: KeyringEntry) => Promise<Result>): Promise<Result> => {
    try {
      return await inTime(deed(openEntry(SERVICE, profile)))
    } catch (error) {
      // What a library says may quote anything.
      throw error instanceof CliError ? error : keyringFailure('It is locked, or did not let fish-cli in.')
    }
  }
  const get = (profile: string) => act(profile, async (entry) => textToSecrets(await entry.getPassword()))
  return {
    kind: 'keyring',
    title: 'the keyring of the system',
    get,
    // A keyring has no lock of its own: of two logins into one profile at the same time, the later one counts.
    async update(profile, alter) {
      const kept = await get(profile)
      const altered = alter(kept)
      if (altered) await act(profile, (entry) => entry.setPassword(JSON.stringify(altered)))
      else if (kept) await act(profile, (entry) => entry.deletePassword())
      return altered
    },
  }
}

/** The keyring cannot be used. */
export function keyringFailure(why: string): CliError {
  return new CliError({
    code: UNAVAILABLE,
    message: `The keyring of the system cannot be used. ${why}`,
    hint: 'Unlock it, or keep secrets in a file: fish-cli config set secret-store file',
    exit: EXIT.credentials,
  })
}

/** Whether an error says that. */
export function isKeyringFailure(error: unknown): boolean {
  return error instanceof CliError && error.code === UNAVAILABLE
}

function textToSecrets(text: string | null | undefined) {
  if (!text) return undefined
  try {
    return parseSecrets(JSON.parse(text))
  } catch {
    return undefined
  }
}

async function inTime<Result>(deed: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(keyringFailure(`It did not answer within ${PATIENCE_MS / 1000} s.`)),
    PATIENCE_MS,
  )
  try {
    return await Promise.race([deed, promise])
  } finally {
    clearTimeout(timer)
  }
}
