import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppSecrets } from '../../app/options.ts'
import { createEncryption, DecryptionError } from '../../app/users/encryption.ts'
import { decryptSecretCheck } from '../../app/users/secret-check.ts'
import { SECRETS_FILE, storedSecrets } from '../secrets-file.ts'
import { syncFile } from './store-file.ts'

/** Whether a copy of a store can be served with the secrets beside it. */
export type SecretsState =
  /** The secrets beside it open it. */
  | 'included'
  /** It was sealed under a `FISH_SECRET` that is not beside it, and that it needs. */
  | 'needed'

/** Where the secrets are that open the keys of an export. They are never in it. */
export type ExportedSecrets =
  /** In `secrets.json` beside the data, which an import needs as well. */
  | 'beside'
  /** Elsewhere: the `FISH_SECRET` that sealed them is needed. */
  | 'needed'
  /** The store was never served: no key is sealed, and there is nothing to open. */
  | 'none'

/** The text of a folder's secrets file, `undefined` when there is none. */
export function secretsText(folder: string): string | undefined {
  const file = join(folder, SECRETS_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Writes a secrets file that only its owner can read, and waits until it is on the disk. */
export function writeSecretsText(folder: string, text: string): void {
  const file = join(folder, SECRETS_FILE)
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  syncFile(file)
}

/** Tries the secrets in a folder on the seal check of a store. */
export async function secretsStateOf(folder: string, sealCheck: string | null): Promise<SecretsState> {
  const kept = await storedSecrets(folder)
  if (sealCheck === null) return 'included'
  if (!kept) return 'needed'
  try {
    await decryptSecretCheck(
      sealCheck,
      createEncryption(allSeals(kept), (bytes) => crypto.getRandomValues(bytes)),
    )
    return 'included'
  } catch (error) {
    if (error instanceof DecryptionError) return 'needed'
    throw error
  }
}

/** The same of a store whose export leaves them out. */
export async function exportedSecretsOf(folder: string, sealCheck: string | null): Promise<ExportedSecrets> {
  const state = await secretsStateOf(folder, sealCheck)
  if (sealCheck === null) return 'none'
  return state === 'included' ? 'beside' : 'needed'
}

/** All secrets that open, the one that seals first. */
export function allSeals({ seal, sealPrevious = [] }: AppSecrets): readonly string[] {
  return [seal, ...sealPrevious]
}
