import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import { secretsFrom } from './contents.ts'
import type { SecretStore } from './store.ts'

// Time enough for a person to unlock a keyring that asks.
const PATIENCE_MS = 60_000
const SERVICE = 'fish-crab'
const UNAVAILABLE = 'keyring_unavailable'

/** One secret of the system's keyring; as the library's `AsyncEntry`. */
export interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>
  setPassword(password: string): Promise<void>
  deletePassword(): Promise<unknown>
}

/** Opens the entry of an account. @throws when there is no keyring */
export type OpenEntry = (service: string, account: string) => KeyringEntry

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
    async change(profile, alter) {
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
    return secretsFrom(JSON.parse(text))
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
