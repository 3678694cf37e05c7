import type { FishStorage } from '../../storage/core/types.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRETS_BASE } from '../store/item-keys.ts'
import { DecryptionError, type Encryption } from './encryption.ts'
import { ensureSecretCheck, finishSecretCheck, type ItemSource, verifySecretCheck } from './secret-check.ts'

/** Outcome of a rotation, or what it would be. */
export interface RotationCounts {
  /** Encrypted keys that were checked. */
  readonly seen: number
  /** Keys that were encrypted again; the others had the current secret. */
  readonly resealed: number
  /** Ids of users whose key no secret decrypts. It is left unchanged. */
  readonly unopened: readonly string[]
}

interface RotationOptions {
  readonly source: ItemSource
  /** The same storage; absent to count what would be encrypted again and write nothing. */
  readonly target: FishStorage | undefined
  readonly encryption: Encryption
  /** Called at the start and after every page with the number of checked keys, and of all keys at the start. */
  readonly onProgress: (checked: number, total: number) => void
  /** Stops between two pages. Keys that were encrypted again stay so. */
  readonly signal: AbortSignal | undefined
}

const PAGE_ITEMS = 768

/**
 * Encrypts every key with the current secret, each by compare-and-replace: servers may run meanwhile, and a key that is
 * reset or removed stays so. After an interruption, the next run continues. At the end, the other secrets are removed
 * from the secret check.
 * @throws DecryptionError before anything is changed, when a secret is missing that something may be encrypted with
 */
export async function reencryptAll(options: RotationOptions): Promise<RotationCounts> {
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

async function reencryptEach({ source, target, encryption, onProgress, signal }: RotationOptions) {
  let [total, seen, changed] = [0, 0, 0]
  const unopened: string[] = []
  for await (const page of encryptedPages(source, signal)) total += page.length
  onProgress(seen, total)
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
    onProgress(seen, total)
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
