import { adminSchema, auditEntrySchema, createdUserSchema, newUserSchema, userNameKey } from '@fish-crab/sdk/contract'
import * as z from 'zod/mini'
import {
  ADMINS_KEY,
  AUDIT_BASE,
  auditKey,
  isPasswordKey,
  ownerOfEncrypted,
  SECRET_CHECK_KEY,
  STORE_KEY,
  USERS_BASE,
} from '../../app/store/item-keys.ts'
import { isStoreId } from '../../app/store/store-id.ts'
import { isEncrypted } from '../../app/users/encryption.ts'
import { isSecretCheck } from '../../app/users/secret-check.ts'
import { itemKey } from '../../storage/keys.ts'
import { isScryptHash } from '../passwords.ts'

const { name } = newUserSchema.shape
const { createdAt } = createdUserSchema.shape
const id = z.string().check(z.minLength(1))
const user = z.object({ id, name, createdAt })
const auditEntry = z.object({ ...auditEntrySchema.shape, id })
const admin = z.object({
  ...adminSchema.shape,
  id,
  username: name,
  passwordHash: z.string().check(z.refine(isScryptHash)),
})

/** Items that lead to a user by name. */
const NAMES = /^(?:user-name|api-key):/

const NOT_SEALED = 'holds a sealed value that is none'
const OTHER_USER = 'holds a user that the service cannot have stored'

/** What is wrong with the value of an item that has a form of its own, as the end of a sentence. */
export function itemProblem(key: string, value: string): string | undefined {
  if (key === STORE_KEY) return isStoreId(value) ? undefined : 'does not say which store this is'
  if (key === SECRET_CHECK_KEY) return isSecretCheck(value) ? undefined : NOT_SEALED
  if (ownerOfEncrypted(key) !== undefined) return isEncrypted(value) ? undefined : NOT_SEALED
  if (isPasswordKey(key)) return isScryptHash(value) ? undefined : 'holds a password hash of an unknown form'
  if (key === ADMINS_KEY) return adminsProblem(value)
  if (key.startsWith(AUDIT_BASE)) {
    return isAuditEntry(key, value) ? undefined : 'holds an entry of the audit log that the service cannot have stored'
  }
  if (NAMES.test(key)) return name.safeParse(value).success ? undefined : OTHER_USER
  return !key.startsWith(USERS_BASE) || isUser(key, value) ? undefined : OTHER_USER
}

function adminsProblem(value: string): string | undefined {
  const { data } = z.array(admin).safeParse(parsed(value))
  const names = new Set(data?.map(({ username }) => userNameKey(username)))
  if (data === undefined || names.size < data.length) return 'holds administrators that the service cannot have stored'
  // The service never removes the last one: nobody could make another.
  return data.some(({ role }) => role === 'superadmin') ? undefined : 'holds administrators without a superadmin'
}

/** Whether it is, to the letter, what the service makes of this entry. */
function isAuditEntry(key: string, value: string): boolean {
  const { data } = auditEntry.safeParse(parsed(value))
  return data !== undefined && key === auditKey(data) && value === JSON.stringify(data)
}

/** Whether it is, to the letter, what the service makes of this user: it deletes no other. */
function isUser(key: string, value: string): boolean {
  const { data } = user.safeParse(parsed(value))
  return data !== undefined && key === itemKey(USERS_BASE, userNameKey(data.name)) && value === JSON.stringify(data)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
