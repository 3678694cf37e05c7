import { type AuditEntry, userNameKey } from '@fish-crab/sdk/contract'
import { decodeKeyPart, itemKey } from '../../storage/core/keys.ts'

/*
 * The key of every item that the service stores. Keys are part of the data: if you change a key, its stored items are
 * lost.
 */

/** The key of the check that no encryption secret is missing; see `secret-check.ts`. */
export const SECRET_CHECK_KEY = itemKey('setting', 'secret-check')

export const ADMINS_KEY = itemKey('setting', 'admins')

export const USERS_BASE = 'user:'

export function userKey(name: string): string {
  return itemKey(USERS_BASE, userNameKey(name))
}

export const OLD_NAMES_BASE = 'old-name:'

/** Returns the key of the item that refers from an old name to its user. */
export function oldNameKey(name: string): string {
  return itemKey(OLD_NAMES_BASE, userNameKey(name))
}

export const INVITATIONS_BASE = 'invitation:'

export function invitationKey(id: string): string {
  return itemKey(INVITATIONS_BASE, id)
}

const USER_NAMES_BASE = 'user-name:'

export function userNameItem(id: string): string {
  return itemKey(USER_NAMES_BASE, id)
}

const API_KEYS_BASE = 'api-key:'

export function apiKeyOwnerKey(apiKeyHash: string): string {
  return itemKey(API_KEYS_BASE, apiKeyHash)
}

export const SECRETS_BASE = 'secret:'

/** Returns the key of a secret of a user. `login` has the password and the API keys; see `logins.ts`. */
export function secretKey(id: string, secret: 'login' | 'fernet'): string {
  return itemKey(SECRETS_BASE, id, secret)
}

const ENCRYPTED = /^secret:([^:]+):fernet$/

/** Part of the key of every encrypted item under {@link SECRETS_BASE}. Few other keys contain this part. */
export const ENCRYPTED_PART = ':fernet'

/** Returns the id of the user if the item is an encrypted secret; `undefined` for any other item. */
export function ownerOfEncrypted(key: string): string | undefined {
  const [, id] = ENCRYPTED.exec(key) ?? []
  return id === undefined ? undefined : decodeKeyPart(id)
}

export const REMOVALS_BASE = 'removal:'

/** Returns the key of the item with a user whose data is being removed. */
export function removalKey(id: string): string {
  return itemKey(REMOVALS_BASE, id)
}

const KEY_READS_BASE = 'key-read:'

/**
 * Returns the key of the item about the last read of a user's Fernet key. The item contains the time, and, after a
 * space, the key of the audit entry of the last read by the user.
 */
export function keyReadKey(id: string): string {
  return itemKey(KEY_READS_BASE, id)
}

const FAILED_LOGINS_BASE = 'failed-login:'

/**
 * Returns the key of the item that refers to the audit entry of a failed login. The next failed login in this place
 * replaces that entry.
 */
export function failedLoginKey(hour: number, place: number): string {
  return itemKey(FAILED_LOGINS_BASE, String(hour), String(place))
}

export const AUDIT_BASE = 'audit:'

/** The beginnings of the keys of all items. */
export const ITEM_BASES: readonly string[] = [
  'setting:',
  SECRETS_BASE,
  API_KEYS_BASE,
  KEY_READS_BASE,
  REMOVALS_BASE,
  FAILED_LOGINS_BASE,
  AUDIT_BASE,
  USER_NAMES_BASE,
  OLD_NAMES_BASE,
  INVITATIONS_BASE,
  USERS_BASE,
]

const MAX_TIME = 2 ** 48 - 1

/**
 * Returns the key of a new entry of the audit log. Newer entries have smaller keys, so that a listing in the order of
 * keys is newest first. The key is smaller than all existing keys even if the clock was set back.
 * @param newest the smallest existing key, if any
 */
export function auditKey({ at, id }: AuditEntry, newest: string | undefined): string {
  const ageBefore = newest === undefined ? MAX_TIME : Number.parseInt(newest.slice(AUDIT_BASE.length), 16)
  const age = Math.min(MAX_TIME - Date.parse(at), ageBefore - 1)
  return itemKey(AUDIT_BASE, age.toString(16).padStart(12, '0'), id)
}
