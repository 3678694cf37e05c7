import { type CreatedUser, isUserName, type User, type UserList, userNameKey } from '@fish-crab/sdk/contract'
import { uuidv7 } from '../core/ids.ts'
import type { Cursors } from '../http/cursors.ts'
import { HttpError } from '../http/http-error.ts'
import { USERS_BASE, userKey, userNameItem } from '../store/item-keys.ts'
import { createSecretStore, type PlainSecrets, type SecretStoreOptions, type UserSecrets } from './user-secrets.ts'

/** What a user is created from; every secret that is not given is made. */
type NewUser = { readonly name: string } & { readonly [Name in keyof PlainSecrets]?: string | undefined }

/** Which users a listing wants. */
interface UserQuery {
  readonly search?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The users of the service and their secrets. */
export interface Users extends UserSecrets {
  /** The user of this name, in any letter case. Rejects when the store that would know is no longer there. */
  find(name: string): Promise<User | undefined>
  /** As {@link find}, or a `user_not_found` failure. */
  require(name: string): Promise<User>
  /** The user a personal API key belongs to. */
  findByApiKey(apiKey: string): Promise<User | undefined>
  list(query: UserQuery): Promise<UserList>
  count(): Promise<number>
  /** The name of the user with this id. */
  nameOf(id: string): Promise<string | undefined>
  /** Creates a user, or fails with `user_exists`. */
  create(user: NewUser): Promise<CreatedUser>
  /** Removes a user with all its data; `false` when someone else did so first. */
  remove(user: User): Promise<boolean>
}

/** What {@link createUsers} builds on. */
export interface UsersOptions extends SecretStoreOptions {
  readonly cursors: Cursors
  readonly clock: () => number
}

const LISTING = 'users'

/** Makes the directory of users: names to ids, and ids to names. */
export function createUsers(context: UsersOptions): Users {
  const { storage, storeId, cursors, clock, random } = context
  const { items } = storage
  const store = createSecretStore(context)

  async function find(name: string): Promise<User | undefined> {
    if (!isUserName(name)) return undefined
    const stored = await items.getItem(userKey(name))
    if (stored !== null) return JSON.parse(stored) as User
    await storeId.verify()
    return undefined
  }

  async function removeTraces(user: User): Promise<void> {
    await Promise.all([store.remove(user), items.removeItem(userNameItem(user.id))])
  }

  return {
    ...store.secrets,
    find,

    async require(name) {
      const user = await find(name)
      if (!user) throw new HttpError('user_not_found')
      return user
    },

    async findByApiKey(apiKey) {
      const name = await store.nameByApiKey(apiKey)
      const user = name === undefined ? undefined : await find(name)
      if (user && (await store.hasApiKey(user, apiKey))) return user
      await storeId.verify()
      return undefined
    },

    async list({ search, limit, cursor }) {
      const page = await storage.listItems({
        base: USERS_BASE,
        limit,
        ...(cursor === undefined ? {} : { after: userKey(await cursors.verify(cursor, LISTING)) }),
        ...(search ? { contains: userKey(search).slice(USERS_BASE.length) } : {}),
      })
      const users = page.items.map(({ value }) => JSON.parse(value) as User)
      const last = users.at(-1)
      return page.next !== undefined && last
        ? { users, nextCursor: await cursors.sign(userNameKey(last.name), LISTING) }
        : { users }
    },

    count: () => storage.countItems(USERS_BASE),

    async nameOf(id) {
      return (await items.getItem(userNameItem(id))) ?? undefined
    },

    async create({ name, ...given }) {
      if (await find(name)) throw new HttpError('user_exists')
      const now = clock()
      const user: User = { id: uuidv7(now, random), name, createdAt: new Date(now).toISOString() }
      const secrets = store.complete(given)
      // The name comes last: until it stands, none of the rest is reachable, and no half of a user can be seen.
      await store.set(user, secrets)
      await items.setItem(userNameItem(user.id), user.name)
      if (await storage.setItemIfAbsent(userKey(name), JSON.stringify(user))) return { ...user, ...secrets }
      await removeTraces(user)
      throw new HttpError('user_exists')
    },

    async remove(user) {
      // The name goes last: a removal that was cut short can be repeated.
      await storage.removeOwner(user.id)
      await removeTraces(user)
      return storage.removeItemIf(userKey(user.name), JSON.stringify(user))
    },
  }
}
