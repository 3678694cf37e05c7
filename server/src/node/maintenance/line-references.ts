import type { User } from '@fish-crab/sdk/contract'
import {
  ownerOfEncrypted,
  SECRET_CHECK_KEY,
  SECRETS,
  secretKey,
  USER_NAMES_BASE,
  USERS_BASE,
  userNameItem,
} from '../../app/store/item-keys.ts'
import { secretIdOf } from '../../app/users/encryption.ts'
import { hasSecretId } from '../../app/users/secret-check.ts'
import { invalidLine, type NumberedLine } from './export-reader.ts'
import { type LinePlaces, ownerOf } from './line-places.ts'

/**
 * What lines of an export say of one another. The order of the lines does not matter. Of a user that was never made
 * whole, or not wholly deleted, the service leaves items behind: these need no user.
 */
export class LineReferences {
  readonly #places: LinePlaces
  /** By id. */
  readonly #users = new Map<string, { readonly number: number; readonly name: string }>()
  /** The names of users by the items that hold them. */
  readonly #names = new Map<string, string>()
  /** The first line of each owner of records and tokens. */
  readonly #owners = new Map<string, number>()
  /** The first key that is sealed under each secret. */
  readonly #sealed = new Map<string | undefined, number>()

  /** @param places those of all lines, once {@link check} is called */
  constructor(places: LinePlaces) {
    this.#places = places
  }

  /** Takes a line that was checked by itself. */
  take({ number, line }: NumberedLine): void {
    if ('removedOwner' in line) return
    const owner = ownerOf(line)
    if (owner !== undefined) setIfAbsent(this.#owners, owner, number)
    if (!('item' in line)) return
    const { item, value } = line
    if (item.startsWith(USER_NAMES_BASE)) this.#names.set(item, value)
    if (ownerOfEncrypted(item) !== undefined) setIfAbsent(this.#sealed, secretIdOf(value), number)
    if (!item.startsWith(USERS_BASE)) return
    const { id, name } = JSON.parse(value) as User
    this.#users.set(id, { number, name })
  }

  /**
   * Refuses what the lines above cannot have beside one another.
   * @param sealCheck what the seal of keys is checked with, `null` where no line says it
   * @throws MaintenanceError `invalid_line`
   */
  check(sealCheck: string | null): void {
    this.#checkSeals(sealCheck)
    for (const [owner, number] of this.#owners) {
      if (!this.#users.has(owner)) throw invalidLine(number, 'belongs to a user that is not in the export')
    }
    for (const [id, user] of this.#users) this.#checkUser(id, user)
  }

  #checkSeals(sealCheck: string | null): void {
    for (const [secretId, number] of this.#sealed) {
      if (sealCheck === null) {
        throw invalidLine(
          number,
          `holds a sealed key, and ${SECRET_CHECK_KEY}, by which a wrong secret is told, is missing`,
        )
      }
      if (!hasSecretId(sealCheck, secretId)) {
        throw invalidLine(number, `holds a key that is sealed under a secret which ${SECRET_CHECK_KEY} does not name`)
      }
    }
  }

  #checkUser(id: string, { number, name }: { readonly number: number; readonly name: string }): void {
    // Its deletion may have been cut short.
    if (this.#places.isRemoved(id)) return
    const nameItem = userNameItem(id)
    if (this.#names.get(nameItem) !== name) {
      throw invalidLine(number, `holds a user, and ${nameItem} is missing or names another`)
    }
    const missing = SECRETS.map((secret) => secretKey(id, secret)).find((item) => !this.#places.hasItem(item))
    if (missing !== undefined) throw invalidLine(number, `holds a user, and ${missing} is missing`)
  }
}

function setIfAbsent<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (!map.has(key)) map.set(key, value)
}
