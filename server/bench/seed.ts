import { createStorage, type FishStorage, type NewRecord } from '@fish-crab/server/storage'
import { dedupeKeyOf, toRecord } from '../src/app/catches/record.ts'
import { uuidv7 } from '../src/app/core/ids.ts'
import { userKey, userNameItem } from '../src/app/store/item-keys.ts'

/** The number of writes in flight, which fits well into the transactions of the store. */
const AT_ONCE = 5000

/** Writes directly to a file store, without requests. No server may have the store open. */
export async function seedStore<Result>(
  path: string,
  write: (storage: FishStorage) => Promise<Result>,
): Promise<Result> {
  const storage = await createStorage({ driver: 'file', path })
  return write(storage).finally(() => storage.dispose())
}

/** Writes directly to a storage. No server may have a file store open. */
export async function seedStorage(address: string, write: (storage: FishStorage) => Promise<void>): Promise<void> {
  const storage = await createStorage(
    address.startsWith('file:')
      ? { driver: 'file', path: address.slice('file:'.length) }
      : { driver: 'redis', url: address },
  )
  await write(storage).finally(() => storage.dispose())
}

/** Adds players without keys, each with this number of species in posts of 500. */
export async function addPlayers(
  storage: FishStorage,
  groups: readonly { readonly count: number; readonly species: number }[],
): Promise<void> {
  for (const { count, species } of groups) {
    for (let at = 0; at < count; at += 1) {
      const user = { id: newId(), name: `Player-${species}-${at}`, createdAt: new Date(0).toISOString() }
      await storage.items.setItem(userKey(user.name), JSON.stringify(user))
      await storage.items.setItem(userNameItem(user.id), user.name)
      const posts = Array.from({ length: species / 500 }, (_, post) =>
        Array.from({ length: 500 }, (_, index) => ({ name: `Fish ${post * 500 + index}`, rarity: 'Gold' as const })),
      )
      const collection = { owner: user.id, kind: 'fish', gamemode: 'earth' }
      const options = { dedupeKey: null, caughtAt: new Date(0).toISOString() }
      await Promise.all(
        posts.map((entries) => storage.append(collection, toRecord(entries, { id: newId(), ...options }))),
      )
    }
  }
}

/** Creates a record of one catch. As in a real store, ids ascend and dedupe keys are random. */
async function newCatch(at: number): Promise<NewRecord> {
  const id = newId()
  const entries = [{ name: `Salmon ${at}`, rarity: 'Bronze' as const }]
  return toRecord(entries, { id, dedupeKey: await dedupeKeyOf(id), caughtAt: new Date(0).toISOString() })
}

function newId(): string {
  return uuidv7(Date.now(), (bytes) => crypto.getRandomValues(bytes))
}

/** Adds catches to a collection of fish, each with a separate write. */
export function addCatches(storage: FishStorage, owner: string, count: number): Promise<void> {
  return repeat(count, async (at) => storage.append({ owner, kind: 'fish', gamemode: 'earth' }, await newCatch(at)))
}

/** Adds users without keys, and one catch each. They cannot log in. */
export function addUsers(storage: FishStorage, count: number): Promise<void> {
  return repeat(count, async (at) => {
    const owner = newId()
    const user = { id: owner, name: `Player${at}`, createdAt: new Date(0).toISOString() }
    await storage.items.setItem(userKey(user.name), JSON.stringify(user))
    await storage.append({ owner, kind: 'fish', gamemode: 'earth' }, await newCatch(at))
  })
}

async function repeat(count: number, run: (at: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, at) => run(first + at)))
  }
}
