import type { FishStorage } from '../../storage/types.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRETS_BASE } from '../store/item-keys.ts'
import { DecryptionError, type Encryption } from './encryption.ts'
import { ensureSecretCheck, finishSecretCheck, type ItemSource, verifySecretCheck } from './secret-check.ts'

/** What a resealing came to, or would come to. */
export interface RotationCounts {
  /** Sealed keys that were looked at. */
  readonly seen: number
  /** Those that were sealed anew; the rest was under the first secret already. */
  readonly resealed: number
  /** Ids of the users whose key no secret opens. They are left as they are. */
  readonly unopened: readonly string[]
}

/** How far a resealing is. */
export interface RotationProgress {
  /** Sealed keys that were looked at. */
  readonly seen: number
  /** How many there were when it began. */
  readonly total: number
}

interface PassOptions<Source> {
  readonly storage: Source
  readonly vault: Encryption
  /** Called at the beginning and after every page. */
  readonly onProgress?: (progress: RotationProgress) => void
  /** Ends it between two pages: what is done is done. */
  readonly signal?: AbortSignal
}

/** What {@link reencryptAll} takes. */
export type RotationOptions = PassOptions<FishStorage>

const PAGE_ITEMS = 768

/**
 * Seals everything anew under the first secret, each key by compare-and-replace: servers may work meanwhile, and a
 * key that is reset or removed stays so. Done again after an interruption, it does only what is left. Once nothing is
 * left, the other secrets are forgotten.
 * @throws SealError before anything is changed, when a secret is missing that something may be sealed under
 */
export async function reencryptAll(options: RotationOptions): Promise<RotationCounts> {
  const { storage, vault } = options
  // From here on, the check says that the first secret is in use: an interruption leaves nothing that it does not tell.
  await ensureSecretCheck(storage, vault)
  let resealed = 0
  while (true) {
    const check = await verifySecretCheck(storage, vault)
    const { seen, changed, unopened } = await reencryptEach(options, (key, old, anew) =>
      storage.replaceItemIf(key, old, anew),
    )
    resealed += changed
    // A server that started before the first secret was changed may have sealed behind the pass: look once more.
    if (changed > 0) continue
    if (unopened.length > 0 || check === null || (await finishSecretCheck(storage, vault, check))) {
      return { seen, resealed, unopened }
    }
  }
}

/**
 * Opens everything as {@link reencryptAll} does, and counts what that would seal anew. Writes nothing.
 * @throws SealError as that
 */
export async function previewRotation(options: PassOptions<ItemSource>): Promise<RotationCounts> {
  await verifySecretCheck(options.storage, options.vault)
  const { seen, changed, unopened } = await reencryptEach(options, async () => true)
  return { seen, resealed: changed, unopened }
}

/**
 * Seals each key anew that is not under the first secret.
 * @param replace puts it in place of the old one, and answers whether it did
 */
async function reencryptEach(
  { storage, vault, onProgress, signal }: PassOptions<ItemSource>,
  replace: (key: string, old: string, anew: string) => Promise<boolean>,
) {
  const total = onProgress ? await countEncrypted({ storage, ...(signal ? { signal } : {}) }) : 0
  let [seen, changed] = [0, 0]
  const unopened: string[] = []
  onProgress?.({ seen, total })
  for await (const page of encryptedPages({ storage, ...(signal ? { signal } : {}) })) {
    await Promise.all(
      page.map(async ({ key, value, owner }) => {
        seen += 1
        const anew = await vault.reencrypt(value, owner).catch((error: unknown) => {
          if (!(error instanceof DecryptionError)) throw error
          unopened.push(owner)
          return value
        })
        if (anew !== value && (await replace(key, value, anew))) changed += 1
      }),
    )
    onProgress?.({ seen, total })
  }
  return { seen, changed, unopened }
}

type Pages = Pick<PassOptions<ItemSource>, 'storage' | 'signal'>

async function countEncrypted(pages: Pages): Promise<number> {
  let count = 0
  for await (const page of encryptedPages(pages)) count += page.length
  return count
}

async function* encryptedPages({ storage, signal }: Pages) {
  let after: string | undefined
  do {
    signal?.throwIfAborted()
    const page = await storage.listItems({
      base: SECRETS_BASE,
      contains: ENCRYPTED_PART,
      limit: PAGE_ITEMS,
      ...(after === undefined ? {} : { after }),
    })
    yield page.items.flatMap(({ key, value }) => {
      const owner = ownerOfEncrypted(key)
      return owner === undefined ? [] : [{ key, value, owner }]
    })
    after = page.next
  } while (after !== undefined)
}
