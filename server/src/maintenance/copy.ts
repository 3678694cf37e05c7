import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from '@fish-crab/sdk/contract'
import { ITEM_BASES, SECRET_CHECK_KEY, USERS_BASE } from '../app/store/item-keys.ts'
import { finishFilling, refuseUnfinished, startFilling } from '../app/store/store-id.ts'
import type { ConfigSource } from '../node/config.ts'
import { readSecretsText, SECRETS_FILE } from '../node/secrets-file.ts'
import { STORE_KEY } from '../storage/core/keys.ts'
import type { DumpedWrite, FishStorage } from '../storage/core/types.ts'
import { checkpoint, STORE_FILE } from '../storage/file/store-file.ts'
import {
  moveStore,
  refuseOtherSecrets,
  refuseStore,
  useStorage,
  withLockedFolder,
  withTempFolder,
} from './core/folder.ts'
import {
  MaintenanceError,
  type MaintenanceOptions,
  maintain,
  readAddress,
  type UsableAddress,
} from './core/maintenance.ts'
import { locateSecrets, type SecretsLocation, storeFileOf } from './core/store.ts'

/** Options of {@link copyStore}. */
export interface CopyOptions extends MaintenanceOptions, Pick<ConfigSource, 'env'> {
  /** Address of the storage to read, as in `FISH_STORAGE`. */
  readonly from: string
  /** Address of the empty storage to fill, as in `FISH_STORAGE`. */
  readonly to: string
}

/** Contents of a copy. */
export interface CopyReport {
  /** Number of players. */
  readonly users: number
  /** Number of acknowledged writes that were not removed. */
  readonly records: number
  /** Number of fish and crabs in these writes. */
  readonly entries: number
  /** The data folder that was filled; `null` for Redis. */
  readonly folder: string | null
  /** `needed`: the copy does not include the secret that encrypts its keys. */
  readonly secrets: SecretsLocation
}

/**
 * Copies users, keys, catches, used tokens and the audit log into an empty storage, while no server uses either
 * storage. Keys stay encrypted, and a secret that is stored beside the data is copied with the data. In a folder, the
 * store appears when the copy is complete. A Redis is filled in place, and no server accepts the Redis before the copy
 * is complete.
 * @throws MaintenanceError
 * @example await copyStore({ env: process.env, from: 'file:./data', to: 'redis://127.0.0.1' }) // { users: 3, … }
 */
export function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to, signal } = options
  const run = async () => {
    const [source, target] = [readAddress(from, 'FROM', options), readAddress(to, 'TO', options)]
    if (source.driver === 'file') storeFileOf(source.path)
    return useStorage(source, async (storage) => {
      refuseUnfinished(await storage.items.getItem(STORE_KEY))
      if (target.driver !== 'file') return copyToRedis(storage, target, options)
      const secrets = source.driver === 'file' ? readSecretsText(source.path) : undefined
      return copyToFolder(storage, { path: target.path, secrets }, options)
    })
  }
  return maintain(run, { signal, state: 'Nothing was copied.' })
}

async function copyToFolder(
  source: FishStorage,
  { path, secrets }: { readonly path: string; readonly secrets: string | undefined },
  options: MaintenanceOptions,
): Promise<CopyReport> {
  const refuse = (folder: string) => {
    refuseStore(folder, [SECRETS_FILE])
    refuseOtherSecrets(folder, secrets)
  }
  return withLockedFolder(path, refuse, async (folder) => {
    return withTempFolder(folder, 'copy', async (temp) => {
      if (secrets !== undefined) writeFileSync(join(temp, SECRETS_FILE), secrets, { mode: 0o600, flush: true })
      const counts = await useStorage({ driver: 'file', path: temp }, async (target) => {
        await startFilling(target)
        return copyAll(source, target, options)
      })
      checkpoint(join(temp, STORE_FILE))
      const location = await locateSecrets(temp, await source.items.getItem(SECRET_CHECK_KEY))
      moveStore(temp, folder)
      return { ...counts, folder, secrets: location }
    })
  })
}

const PART = 'The Redis contains a part of the copy.'
const EMPTY_IT = 'No server accepts it. Remove its keys that begin with fish: and run the copy again.'

async function copyToRedis(
  source: FishStorage,
  address: Exclude<UsableAddress, { driver: 'file' }>,
  options: MaintenanceOptions,
): Promise<CopyReport> {
  const counts = await useStorage(address, async (target) => {
    const isEmpty = (await target.countItems(USERS_BASE)) === 0 && (await target.tallies()).length === 0
    if (!isEmpty || !(await startFilling(target))) {
      throw new MaintenanceError('exists', 'The Redis already has data of this service; nothing was changed.', {
        hint: 'Name an empty one.',
      })
    }
    const run = () => copyAll(source, target, options)
    return maintain(run, { signal: options.signal, state: PART, hint: EMPTY_IT }).catch((error: unknown) => {
      if (!(error instanceof MaintenanceError) || error.code === 'interrupted') throw error
      throw new MaintenanceError(error.code, `${error.message} ${PART}`, { hint: EMPTY_IT, cause: error })
    })
  })
  const isServed = (await source.items.getItem(SECRET_CHECK_KEY)) !== null
  return { ...counts, folder: null, secrets: isServed ? 'needed' : 'included' }
}

type Counts = Pick<CopyReport, 'users' | 'records' | 'entries'>

/**
 * Number of owners that are copied at the same time, so that each commit of a file store serves several owners. The
 * number is small, because a chunk of one owner can have 30 MB.
 */
const OWNERS_AT_ONCE = 4

/**
 * The target is `unfinished` until the copy is complete. The new id of the target makes event ids of the source
 * invalid.
 */
async function copyAll(source: FishStorage, target: FishStorage, options: MaintenanceOptions): Promise<Counts> {
  const { onProgress, signal } = options
  const total = await countEntries(source)
  const counts = { users: 0, records: 0, entries: 0 }
  const report = () => onProgress?.({ step: 'copy', unit: 'catches', done: counts.entries, total })
  const copyOwner = async (owner: string) => {
    for await (const chunk of source.dump(owner)) {
      signal?.throwIfAborted()
      await allOf(chunk.map((one) => copyWrite(target, owner, one)))
      for (const one of chunk) {
        if (!('record' in one)) continue
        counts.records += 1
        counts.entries += one.record.tally.count
      }
      report()
    }
  }
  report()
  for await (const items of pagesOf(source)) {
    signal?.throwIfAborted()
    const copied = items.filter(({ key }) => key !== STORE_KEY)
    await allOf(copied.map(({ key, value }) => target.items.setItem(key, value)))
    const owners = items
      .filter(({ key }) => key.startsWith(USERS_BASE))
      .map(({ value }) => (JSON.parse(value) as User).id)
    counts.users += owners.length
    const remaining = owners.values()
    const work = async () => {
      for (const owner of remaining) await copyOwner(owner)
    }
    await allOf(Array.from({ length: OWNERS_AT_ONCE }, work))
  }
  if ((await countEntries(source)) !== total) {
    throw new MaintenanceError('in_use', 'Another process wrote to the source during the copy.', {
      hint: 'Stop its servers and run the copy again.',
    })
  }
  await finishFilling(target, (bytes) => crypto.getRandomValues(bytes))
  return counts
}

async function countEntries(storage: FishStorage): Promise<number> {
  return (await storage.tallies()).reduce((sum, { label, count }) => (label === null ? sum + count : sum), 0)
}

const PAGE = 500

async function* pagesOf(storage: FishStorage) {
  for (const base of ITEM_BASES) {
    let after: string | undefined
    do {
      const page = await storage.listItems({ base, limit: PAGE, ...(after === undefined ? {} : { after }) })
      yield page.items
      after = page.next
    } while (after !== undefined)
  }
}

/** Settles when all writes have settled, so that nothing is written after a failure. */
async function allOf(writes: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason
}

async function copyWrite(target: FishStorage, owner: string, write: DumpedWrite): Promise<void> {
  if ('token' in write) return target.useToken(owner, write.token)
  const { outcome } = await target.append(write.collection, write.record)
  // Without this error, a catch could be missing silently.
  if (outcome !== 'stored') throw new MaintenanceError('in_use', 'The target has other data of a copied player.')
}
