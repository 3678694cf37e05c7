import { decodeKeyPart, itemKey } from '../../storage/keys.ts'

/** Base of the items that hold users' secrets. */
export const SECRETS_BASE = 'secret:'

/** What the keys of sealed items hold behind {@link SECRETS_BASE}. Few others do. */
export const SEALED_PART = ':fernet'

const SEALED = /^secret:([^:]+):fernet$/
const PASSWORD = /^secret:[^:]+:password$/

/** What a user has from its creation to its deletion. */
export const SECRETS = ['password', 'fernet', 'api-key'] as const

/** The item that holds a secret of the user with this id. */
export function secretKey(id: string, secret: (typeof SECRETS)[number]): string {
  return itemKey(SECRETS_BASE, id, secret)
}

/** Whether this item holds the hash of a user's password. */
export function isPasswordKey(key: string): boolean {
  return PASSWORD.test(key)
}

/** The id of the user whose sealed secret is in this item; `undefined` when the item is not sealed. */
export function ownerOfSealed(key: string): string | undefined {
  const [, id] = SEALED.exec(key) ?? []
  return id === undefined ? undefined : decodeKeyPart(id)
}
