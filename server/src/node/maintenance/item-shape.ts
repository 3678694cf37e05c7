import { isStoreId, STORE_KEY } from '../../app/store-mark.ts'
import { isSealCheck, SEAL_CHECK_KEY } from '../../app/users/seal-check.ts'
import { ownerOfSealed } from '../../app/users/secret-keys.ts'
import { isSealed } from '../../app/users/vault.ts'

/** What is wrong with the value of an item that has a form of its own, as the end of a sentence. */
export function itemProblem(key: string, value: string): string | undefined {
  if (key === STORE_KEY) return isStoreId(value) ? undefined : 'does not say which store this is'
  const isFine = key === SEAL_CHECK_KEY ? isSealCheck : ownerOfSealed(key) === undefined ? undefined : isSealed
  return isFine === undefined || isFine(value) ? undefined : 'holds a sealed value that is none'
}
