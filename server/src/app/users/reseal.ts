import type { FishStorage } from '../../storage/types.ts'
import { checkSeal, openSealCheck, settleSealCheck } from './seal-check.ts'
import { ownerOfSealed, SECRETS_BASE } from './secret-keys.ts'
import { SealError, type Vault } from './vault.ts'

/** How far a resealing is, or what it came to. */
export interface ResealCounts {
  /** Sealed keys that were looked at. */
  readonly seen: number
  /** Those that were sealed anew; the rest was under the first secret already. */
  readonly resealed: number
  /** Ids of the users whose key no secret opens. They are left as they are. */
  readonly unopened: readonly string[]
}

/** What {@link resealAll} takes. */
export interface ResealOptions {
  readonly storage: FishStorage
  readonly vault: Vault
  /** Called after every page. */
  readonly onProgress?: (counts: ResealCounts) => void
  /** Ends it between two pages: what is done is done. */
  readonly signal?: AbortSignal
}

const PAGE_ITEMS = 768

/**
 * Seals everything anew under the first secret, each key by compare-and-replace: servers may work meanwhile, and a
 * key that is reset or removed stays so. Done again after an interruption, it does only what is left. Once nothing is
 * left, the other secrets are forgotten.
 * @throws SealError before anything is changed, when a secret is missing that something may be sealed under
 */
export async function resealAll(options: ResealOptions): Promise<ResealCounts> {
  const { storage, vault } = options
  // From here on, the check says that the first secret is in use: an interruption leaves nothing that it does not tell.
  await checkSeal(storage, vault)
  let resealed = 0
  while (true) {
    const check = await openSealCheck(storage, vault)
    const pass = await resealOnce(options, resealed)
    resealed = pass.resealed
    // A server that started before the first secret was changed may have sealed behind the pass: look once more.
    if (pass.changed > 0) continue
    if (pass.unopened.length > 0 || check === null || (await settleSealCheck(storage, vault, check))) return pass
  }
}

async function resealOnce({ storage, vault, onProgress, signal }: ResealOptions, before: number) {
  let [seen, changed] = [0, 0]
  const unopened: string[] = []
  let after: string | undefined
  do {
    signal?.throwIfAborted()
    const page = await storage.listItems({
      base: SECRETS_BASE,
      limit: PAGE_ITEMS,
      ...(after === undefined ? {} : { after }),
    })
    await Promise.all(
      page.items.map(async ({ key, value }) => {
        const owner = ownerOfSealed(key)
        if (owner === undefined) return
        seen += 1
        const anew = await vault.reseal(value, owner).catch((error: unknown) => {
          if (!(error instanceof SealError)) throw error
          unopened.push(owner)
          return value
        })
        if (anew !== value && (await storage.replaceItemIf(key, value, anew))) changed += 1
      }),
    )
    after = page.next
    onProgress?.({ seen, resealed: before + changed, unopened })
  } while (after !== undefined)
  return { seen, resealed: before + changed, unopened, changed }
}
