import type { Io } from '../core/io.ts'
import type { OpenEntry } from './keyring.ts'

/** What of the surroundings decides about a keyring. */
export type KeyringIo = Pick<Io, 'env' | 'keyring'>

/** Whether there is a keyring, and how its entries are opened or why not. */
export type Keyring =
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
