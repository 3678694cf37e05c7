import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from '@fish-crab/sdk/contract'
import { ITEM_BASES, SECRET_CHECK_KEY, USERS_BASE } from '../../app/store/item-keys.ts'
import { finishFilling, refuseUnfinished, startFilling } from '../../app/store/store-id.ts'
import { EPOCH_KEY, STORE_KEY } from '../../storage/core/keys.ts'
import type { DumpedWrite, FishStorage } from '../../storage/core/types.ts'
import { checkpoint, STORE_FILE } from '../../storage/file/store-file.ts'
import type { ConfigSource } from '../config.ts'
import { readSecretsText, SECRETS_FILE } from '../secrets-file.ts'
import { moveStore, refuseStore, useStorage, withLockedFolder, withTempFolder } from './folder.ts'
import {
  MaintenanceError,
  type MaintenanceOptions,
  type MaintenanceSettings,
  maintain,
  readMaintenanceSettings,
} from './maintenance.ts'
import { locateSecrets, type SecretsLocation, storeFileOf } from './store.ts'

/** Options of {@link copyStore}. */
export interface CopyOptions extends MaintenanceOptions, Pick<ConfigSource, 'env'> {
  /** Address of the storage to read, as in `FISH_STORAGE`. */
  readonly from: string
  /** Address of an empty storage. */
  readonly to: string
}

/** What was copied. */
export interface CopyReport {
  readonly users: number
  /** Writes that were acknowledged and not removed. */
  readonly records: number
  /** Fish and crabs in them. */
  readonly entries: number
  /** The data folder that was filled; `null` for Redis. */
  readonly folder: string | null
  /** `needed`: the keys are encrypted with a secret that is not beside the copy. */
  readonly secrets: SecretsLocation
}

type Counts = Pick<CopyReport, 'users' | 'records' | 'entries'>

/**
 * Copies users, keys, catches, used tokens and the audit log into an empty storage, while no server uses either. Keys stay
 * encrypted, and a secret that is stored beside the data is copied with it. A folder gets its store once the copy is
 * complete; a Redis is filled in place, and no server accepts it until then.
 * @throws MaintenanceError
 * @example
 * await copyStore({ env: process.env, from: 'file:./data', to: 'redis://127.0.0.1' }) // { users: 3, … }
 */
export function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { env, from, to, signal } = options
  const run = async () => {
    const [source, target] = [from, to].map(
      (storage) => readMaintenanceSettings({ env, flags: { storage } }).storage,
    ) as [Address, Address]
    if (source.driver === 'file') storeFileOf(source.path)
    const secrets = source.driver === 'file' ? readSecretsText(source.path) : undefined
    return useStorage(source, async (storage) => {
      refuseUnfinished(await storage.items.getItem(STORE_KEY))
      return target.driver === 'file'
        ? await copyToFolder(storage, { folder: target.path, secrets }, options)
        : await copyToRedis(storage, target, options)
    })
  }
  const state = to.startsWith('file:') ? 'Nothing was copied.' : PARTLY_COPIED
  return maintain(run, { signal, state, hint: 'Empty the target and run it again.' })
}

type Address = MaintenanceSettings['storage']
type RedisAddress = Exclude<Address, { driver: 'file' }>

const PARTLY_COPIED = 'The Redis may contain a part of the copy, and no server accepts it.'

async function copyToFolder(
  source: FishStorage,
  { folder: path, secrets }: { readonly folder: string; readonly secrets: string | undefined },
  options: MaintenanceOptions,
): Promise<CopyReport> {
  return withLockedFolder(path, false, async (folder) => {
    refuseStore(folder, [SECRETS_FILE])
    return withTempFolder(folder, 'copy', async (temp) => {
      if (secrets !== undefined) writeFileSync(join(temp, SECRETS_FILE), secrets, { mode: 0o600, flush: true })
      const counts = await useStorage({ driver: 'file', path: temp }, (target) => copyAll(source, target, options))
      checkpoint(join(temp, STORE_FILE))
      const location = await locateSecrets(temp, await source.items.getItem(SECRET_CHECK_KEY))
      moveStore(temp, folder)
      return { ...counts, folder, secrets: location }
    })
  })
}

async function copyToRedis(source: FishStorage, address: RedisAddress, options: MaintenanceOptions) {
  const counts = await useStorage(address, (target) => copyAll(source, target, options))
  const isServed = (await source.items.getItem(SECRET_CHECK_KEY)) !== null
  return { ...counts, folder: null, secrets: isServed ? 'needed' : 'included' } as const
}

/** The target is `unfinished` until everything is there, and has an id of its own then: event ids of the source end with it. */
async function copyAll(source: FishStorage, target: FishStorage, options: MaintenanceOptions): Promise<Counts> {
  const { onProgress, signal } = options
  const isEmpty = (await target.countItems(USERS_BASE)) === 0 && (await target.tallies()).length === 0
  if (!isEmpty || !(await startFilling(target))) {
    throw new MaintenanceError('exists', 'The target already has data of this service; nothing was changed.', {
      hint: 'Name an empty one.',
    })
  }
  const total = await countEntries(source)
  const counts = { users: 0, records: 0, entries: 0 }
  const report = () => onProgress?.({ step: 'copy', unit: 'catches', done: counts.entries, total })
  report()
  const copyOwner = async (owner: string) => {
    for await (const chunk of source.dump(owner)) {
      signal?.throwIfAborted()
      await allOf(chunk.map((one) => copyWrite(target, owner, one)))
      for (const one of chunk) {
        if (!('record' in one)) continue
        counts.records += 1
        counts.entries += one.record.count
      }
      report()
    }
  }
  for await (const { key, value } of itemsOf(source)) {
    signal?.throwIfAborted()
    if (key === STORE_KEY || key === EPOCH_KEY) continue
    await target.items.setItem(key, value)
    if (!key.startsWith(USERS_BASE)) continue
    counts.users += 1
    await copyOwner((JSON.parse(value) as User).id)
  }
  if ((await countEntries(source)) !== total) {
    throw new MaintenanceError('in_use', 'Another process wrote to the source during the copy.', {
      hint: 'Stop its servers, empty the target and run it again.',
    })
  }
  await finishFilling(target, (bytes) => crypto.getRandomValues(bytes))
  return counts
}

async function countEntries(storage: FishStorage): Promise<number> {
  return (await storage.tallies()).reduce((sum, { label, count }) => (label === null ? sum + count : sum), 0)
}

const PAGE = 500

async function* itemsOf(storage: FishStorage) {
  for (const base of ITEM_BASES) {
    let after: string | undefined
    do {
      const page = await storage.listItems({ base, limit: PAGE, ...(after === undefined ? {} : { after }) })
      yield* page.items
      after = page.next
    } while (after !== undefined)
  }
}

/** Settles when all have, so that nothing is written after a failure. */
async function allOf(writes: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason
}

/** Collection of a record that is removed at once, so that its token stays used. */
const REMOVED = { kind: 'removed', gamemode: 'removed' }

async function copyWrite(target: FishStorage, owner: string, write: DumpedWrite): Promise<void> {
  if ('record' in write) {
    await target.append(write.collection, write.record)
    return
  }
  const { id, dedupeKey } = write.token
  const collection = { owner, ...REMOVED }
  await target.append(collection, { id, dedupeKey, count: 1, labels: {}, entries: '{}' })
  await target.removeRecord(collection, id)
}
