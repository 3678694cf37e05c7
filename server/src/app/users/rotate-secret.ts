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

interface PassOptions<Source> {
  readonly storage: Source
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
export async function reencryptAll(options: PassOptions<FishStorage>): Promise<RotationCounts> {
  const { storage, encryption } = options
  // First of all, so that the check names the current secret also after an interruption.
  await ensureSecretCheck(storage, encryption)
  let resealed = 0
  while (true) {
    const check = await verifySecretCheck(storage, encryption)
    const { seen, changed, unopened } = await reencryptEach(options, (key, before, after) =>
      storage.replaceItemIf(key, before, after),
    )
    resealed += changed
    // A server that still encrypts with another secret may have written after this pass.
    if (changed > 0) continue
    if (unopened.length > 0 || check === null || (await finishSecretCheck(storage, encryption, check))) {
      return { seen, resealed, unopened }
    }
  }
}

/** Counts what {@link reencryptAll} would change. Writes nothing. @throws DecryptionError as that */
export async function previewRotation(options: PassOptions<ItemSource>): Promise<RotationCounts> {
  await verifySecretCheck(options.storage, options.encryption)
  const { seen, changed, unopened } = await reencryptEach(options, async () => true)
  return { seen, resealed: changed, unopened }
}

/** @param replace stores a key that was encrypted again; returns whether it did */
async function reencryptEach(
  { storage, encryption, onProgress, signal }: PassOptions<ItemSource>,
  replace: (key: string, before: string, after: string) => Promise<boolean>,
) {
  let [total, seen, changed] = [0, 0, 0]
  const unopened: string[] = []
  for await (const page of encryptedPages(storage, signal)) total += page.length
  onProgress(seen, total)
  for await (const page of encryptedPages(storage, signal)) {
    await Promise.all(
      page.map(async ({ key, value, owner }) => {
        seen += 1
        const reencrypted = await encryption.reencrypt(value, owner).catch((error: unknown) => {
          if (!(error instanceof DecryptionError)) throw error
          unopened.push(owner)
          return value
        })
        if (reencrypted !== value && (await replace(key, value, reencrypted))) changed += 1
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
