import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { type User, userNameKey } from '@fish-crab/sdk/contract'
import { generateFernetKey } from '@fish-crab/sdk/fernet'
import { sleep } from '../../../../sdk/src/internal/wait.ts'
import type { StoredAdmin } from '../../app/auth/admins.ts'
import { toRecord } from '../../app/catches/record.ts'
import { sha256Hex } from '../../app/core/bytes.ts'
import type { PasswordHasher } from '../../app/core/host.ts'
import { randomText } from '../../app/core/ids.ts'
import { ADMINS_KEY, apiKeyOwnerKey, secretKey, userKey, userNameItem } from '../../app/store/item-keys.ts'
import type { Encryption } from '../../app/users/encryption.ts'
import { ensureSecretCheck } from '../../app/users/secret-check.ts'
import { StorageError } from '../../storage/core/errors.ts'
import type { Collection, FishStorage, NewRecord } from '../../storage/core/types.ts'
import { MaintenanceError, type MaintenanceOptions } from '../maintenance/maintenance.ts'
import type { Dump, DumpDocument } from './dump.ts'
import type { MigrationPlan, PlannedPlayer } from './plan.ts'
import { idOf, parseCatch, type Source } from './source.ts'

interface FillOptions extends MaintenanceOptions {
  /** Whether the storage may refuse one write and take a later one, as a full Redis does. */
  readonly mayRefuseSome: boolean
  readonly plan: MigrationPlan
  readonly source: Source
  readonly documents: Dump
  readonly encryption: Encryption
  readonly passwords: Pick<PasswordHasher, 'hash'>
}

/**
 * Writes everything that a plan has. Each step leaves alone what is there already, so that another run of the same plan
 * continues. The names of players come last: without them, nothing else can be reached.
 * @returns the number of catches that were not there
 */
export async function fillStorage(storage: FishStorage, options: FillOptions): Promise<number> {
  const { plan, encryption, signal } = options
  await withRetries(() => ensureSecretCheck(storage, encryption), signal)
  await writeSecrets(storage, options)
  const added = await writeCatches(storage, options)
  // Not interrupted: either no player is there, or all are.
  for (const { user, secrets } of plan.players) if (secrets) await withRetries(() => addPlayer(storage, user))
  await withRetries(() => writeAdmins(storage, plan.admins))
  return added
}

/** A disk that stalls, or a Redis that fails over, is back within seconds; what was written before may be hours of work. */
const RETRY_MS = 250
const MAX_RETRIES = 40

/** Tries again what may be repeated. */
async function withRetries<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work()
    } catch (error) {
      const isTemporary = error instanceof StorageError && error.code === 'unavailable'
      if (!isTemporary || retries === MAX_RETRIES) throw error
      await sleep(RETRY_MS, signal)
    }
  }
}

async function addPlayer(storage: FishStorage, user: User): Promise<void> {
  await storage.items.setItem(userNameItem(user.id), user.name)
  await claimApiKeys(storage, user)
  if (await storage.setItemIfAbsent(userKey(user.name), JSON.stringify(user))) return
  const { id } = JSON.parse((await storage.items.getItem(userKey(user.name))) ?? '{}')
  if (id === user.id) return
  const message = `A player called ${user.name} was created meanwhile.`
  throw new MaintenanceError('in_use', message, { hint: 'Run it again: it continues with another name.' })
}

/** As many at once as hash in parallel: each takes 128 MiB. */
const HASHES_AT_ONCE = Math.min(4, availableParallelism())

async function writeSecrets(storage: FishStorage, options: FillOptions): Promise<void> {
  const players = options.plan.players.filter(({ secrets }) => secrets !== undefined)
  let done = 0
  const report = () => options.onProgress?.({ step: 'hash', unit: 'passwords', done, total: players.length })
  report()
  const left = players.values()
  const work = async () => {
    for (const player of left) {
      options.signal?.throwIfAborted()
      await withRetries(() => writeSecretsOf(storage, player, options), options.signal)
      done += 1
      report()
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: HASHES_AT_ONCE }, work))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
}

async function writeSecretsOf(
  storage: FishStorage,
  { user: { id }, secrets: given }: PlannedPlayer,
  { passwords, encryption }: FillOptions,
): Promise<void> {
  const { items } = storage
  const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
  const makeIfAbsent = async (secret: 'password' | 'fernet' | 'api-key', make: () => Promise<string>) => {
    const key = secretKey(id, secret)
    if ((await items.getItem(key)) === null) await storage.setItemIfAbsent(key, await make())
  }
  const newSecret = () => randomText(NEW_SECRET_LENGTH, random)
  await makeIfAbsent('password', () => passwords.hash(given?.password ?? newSecret()))
  await makeIfAbsent('fernet', () => encryption.encrypt(given?.fernetKey ?? generateFernetKey(random), id))
  // One that nobody knows, so that there is one to reset.
  const apiKeys = given?.apiKeys.length ? given.apiKeys : [newSecret()]
  const hashes = await Promise.all(apiKeys.map(sha256Hex))
  await makeIfAbsent('api-key', async () => hashes.join(' '))
}

/** An earlier run may have had another name for the player. Of players who share a key, the first keeps it. */
async function claimApiKeys(storage: FishStorage, { id, name }: User): Promise<void> {
  const { items } = storage
  const hashesOf = async (owner: string) => (await items.getItem(secretKey(owner, 'api-key')))?.split(' ') ?? []
  const isHeldBy = async (other: string, hash: string) => {
    const user = await items.getItem(userKey(other))
    return user !== null && (await hashesOf(JSON.parse(user).id)).includes(hash)
  }
  for (const hash of await hashesOf(id)) {
    const key = apiKeyOwnerKey(hash)
    const owner = await items.getItem(key)
    if (owner === null || (owner !== name && !(await isHeldBy(owner, hash)))) await items.setItem(key, name)
  }
}

const NEW_SECRET_LENGTH = 40
const BATCH = 500

/** One record each, so that each can be removed and moved by itself. */
async function writeCatches(storage: FishStorage, options: FillOptions): Promise<number> {
  const { plan, source, documents, mayRefuseSome, onProgress, signal } = options
  const { fish, crab } = plan.report.catches
  const total = [...Object.values(fish), ...Object.values(crab)].reduce((sum, count) => sum + count, 0)
  let [done, added] = [0, 0]
  const report = () => onProgress?.({ step: 'write', unit: 'catches', done, total })
  const collections = new Map<string, Collection>()
  let batch: Parameters<FishStorage['append']>[] = []
  const append = async (...record: Parameters<FishStorage['append']>) => {
    if ((await storage.append(...record)).outcome === 'stored') added += 1
  }
  const appendBatch = async () => {
    const parts = mayRefuseSome ? Map.groupBy(batch, ([collection]) => collection).values() : batch.map((one) => [one])
    const appending = Array.from(parts, async (part) => {
      for (const record of part) await append(...record)
    })
    // All have settled, so that nothing is written after a failure.
    for (const result of await Promise.allSettled(appending)) if (result.status === 'rejected') throw result.reason
  }
  const flush = async () => {
    await withRetries(appendBatch, signal)
    done += batch.length
    batch = []
    signal?.throwIfAborted()
    report()
  }
  report()
  for await (const { collection, document } of documents((name) => plan.owners.has(name))) {
    const owner = plan.owners.get(collection)
    const from = source.collections.get(collection)
    if (owner === undefined || !from) continue
    const record = recordOf(from.kind, placeOf(owner, collection), document)
    if (!record) continue
    const place = collections.get(collection) ?? { owner, kind: from.kind, gamemode: from.gamemode }
    collections.set(collection, place)
    batch.push([place, record])
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  if (done !== total) {
    throw new MaintenanceError('invalid_dump', 'The dump was changed while it was read. No player was added.', {
      hint: 'Run it again once the dump is complete.',
    })
  }
  return added
}

/** Without the name of the player, who may have another one in a later dump. */
const placeOf = (owner: string, collection: string) =>
  [owner, collection.slice(0, collection.indexOf('_')), collection.slice(collection.lastIndexOf('_') + 1)].join(' ')

/** The same for the same document in every run. */
function recordOf(kind: 'fish' | 'crab', place: string, document: DumpDocument): NewRecord | undefined {
  const entry = parseCatch(kind, document)
  if (!entry) return undefined
  const id = idOf(document)
  // With the place: a copy of a collection has the same ids.
  return toRecord([entry], { id: recordId(place, id), dedupeKey: `migrated ${place} ${id}`, caughtAt: entry.caughtAt })
}

const OBJECT_ID = /^[\da-f]{24}$/

/** A UUIDv7 (RFC 9562, 5.7) whose time is that of the ObjectId, and whose random part is a hash. */
function recordId(place: string, id: string): string {
  const seconds = OBJECT_ID.test(id) ? Number.parseInt(id.slice(0, 8), 16) : 0
  const bytes = createHash('sha256').update(`${place} ${id}`).digest().subarray(0, 16)
  bytes.writeUIntBE(seconds * 1000, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

async function writeAdmins(storage: FishStorage, added: MigrationPlan['admins']): Promise<void> {
  if (added.length === 0) return
  const text = await storage.items.getItem(ADMINS_KEY)
  const admins: readonly StoredAdmin[] = text === null ? [] : JSON.parse(text)
  const taken = new Set(admins.map(({ username }) => userNameKey(username)))
  const value = JSON.stringify([...admins, ...added.filter(({ username }) => !taken.has(userNameKey(username)))])
  const isStored =
    text === null
      ? await storage.setItemIfAbsent(ADMINS_KEY, value)
      : await storage.replaceItemIf(ADMINS_KEY, text, value)
  if (!isStored) await writeAdmins(storage, added)
}
