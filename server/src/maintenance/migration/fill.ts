import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { generateFernetKey } from '@fish-crab/sdk/fernet'
import { dedupeKeyOf, toRecord } from '../../app/catches/record.ts'
import { sha256Hex } from '../../app/core/bytes.ts'
import type { PasswordHasher } from '../../app/core/host.ts'
import { randomText } from '../../app/core/ids.ts'
import { ADMINS_KEY, apiKeyOwnerKey, secretKey, userKey, userNameItem } from '../../app/store/item-keys.ts'
import type { Encryption } from '../../app/users/encryption.ts'
import type { StoredLogin } from '../../app/users/logins.ts'
import { ensureSecretCheck } from '../../app/users/secret-check.ts'
import type { FishStorage, NewRecord } from '../../storage/core/types.ts'
import { MaintenanceError, type MaintenanceOptions } from '../core/maintenance.ts'
import type { Dump, DumpDocument } from './dump.ts'
import type { MigrationPlan, PlannedPlayer } from './plan.ts'
import { idOf, parseCatch, type Source } from './source.ts'

interface FillOptions extends MaintenanceOptions {
  readonly plan: MigrationPlan
  readonly source: Source
  readonly documents: Dump
  readonly encryption: Encryption
  readonly passwords: Pick<PasswordHasher, 'hash'>
}

/** Writes everything in a plan into an empty storage. @returns the number of stored catches */
export async function fillStorage(storage: FishStorage, options: FillOptions): Promise<number> {
  const { plan, encryption } = options
  await ensureSecretCheck(storage, encryption)
  await writeSecrets(storage, options)
  const added = await writeCatches(storage, options)
  for (const player of plan.players) await addPlayer(storage, player)
  if (plan.admins.length > 0) await storage.items.setItem(ADMINS_KEY, JSON.stringify(plan.admins))
  return added
}

async function addPlayer({ items, setItemIfAbsent }: FishStorage, { user, secrets }: PlannedPlayer): Promise<void> {
  const { id, name } = user
  // If players share a key, the oldest player keeps it.
  for (const apiKey of secrets.apiKeys) await setItemIfAbsent(apiKeyOwnerKey(await sha256Hex(apiKey)), name)
  await items.setItem(userNameItem(id), name)
  await items.setItem(userKey(name), JSON.stringify(user))
}

/** More concurrent hashes would not be faster, and each hash uses 128 MiB of memory. */
const HASHES_AT_ONCE = Math.min(4, availableParallelism())

async function writeSecrets(storage: FishStorage, options: FillOptions): Promise<void> {
  const { players } = options.plan
  let done = 0
  const report = () => options.onProgress?.({ step: 'hash', unit: 'passwords', done, total: players.length })
  report()
  const left = players.values()
  const work = async () => {
    for (const player of left) {
      options.signal?.throwIfAborted()
      await writeSecretsOf(storage, player, options)
      done += 1
      report()
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: HASHES_AT_ONCE }, work))
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
}

async function writeSecretsOf(
  storage: FishStorage,
  { user: { id }, secrets }: PlannedPlayer,
  { passwords, encryption }: FillOptions,
): Promise<void> {
  const { items } = storage
  const { password } = secrets
  const login: StoredLogin = {
    password: await passwords.hash(password ?? newSecret(), { isRandom: password === undefined }),
    apiKeys: await Promise.all(secrets.apiKeys.map(sha256Hex)),
  }
  await items.setItem(secretKey(id, 'login'), JSON.stringify(login))
  const fernetKey = secrets.fernetKey ?? generateFernetKey(random)
  await items.setItem(secretKey(id, 'fernet'), await encryption.encrypt(fernetKey, id))
}

const NEW_SECRET_LENGTH = 40

const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
const newSecret = () => randomText(NEW_SECRET_LENGTH, random)

const BATCH = 500

/** Writes each catch as a separate record, so that each catch can be removed and moved separately. */
async function writeCatches(storage: FishStorage, options: FillOptions): Promise<number> {
  const { plan, source, documents, onProgress, signal } = options
  const { fish, crab } = plan.report.catches
  const total = [...Object.values(fish), ...Object.values(crab)].reduce((sum, count) => sum + count, 0)
  let [done, added] = [0, 0]
  const report = () => onProgress?.({ step: 'write', unit: 'catches', done, total })
  let batch: Parameters<FishStorage['append']>[] = []
  const flush = async () => {
    // All writes settle before a failure is reported, so that nothing is written after the failure.
    for (const result of await Promise.allSettled(batch.map((record) => storage.append(...record)))) {
      if (result.status === 'rejected') throw result.reason
      if (result.value.outcome === 'stored') added += 1
    }
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
    const record = await recordOf(from.kind, placeOf(owner, collection), document)
    if (!record) continue
    batch.push([{ owner, kind: from.kind, gamemode: from.gamemode }, record])
    if (batch.length >= BATCH) await flush()
  }
  await flush()
  if (done !== total) {
    throw new MaintenanceError('invalid_dump', 'The dump was changed while it was read.', {
      hint: 'Run it again once the dump is complete.',
    })
  }
  return added
}

/** The owner, kind and gamemode of a collection, without the name of the player, which may differ in a later dump. */
const placeOf = (owner: string, collection: string) =>
  [owner, collection.slice(0, collection.indexOf('_')), collection.slice(collection.lastIndexOf('_') + 1)].join(' ')

/** The same document becomes the same record in every run. */
async function recordOf(kind: 'fish' | 'crab', place: string, document: DumpDocument): Promise<NewRecord | undefined> {
  const entry = parseCatch(kind, document)
  if (!entry) return undefined
  const id = idOf(document)
  // The key includes the place, because the documents of a copied collection have the same ids.
  const dedupeKey = await dedupeKeyOf(`migrated ${place} ${id}`)
  return toRecord([entry], { id: recordId(place, id), dedupeKey, caughtAt: entry.caughtAt })
}

const OBJECT_ID = /^[\da-f]{24}$/

/** A UUIDv7 (RFC 9562, section 5.7) with the time of the ObjectId, and a hash in place of random bits. */
function recordId(place: string, id: string): string {
  const seconds = OBJECT_ID.test(id) ? Number.parseInt(id.slice(0, 8), 16) : 0
  const bytes = createHash('sha256').update(`${place} ${id}`).digest().subarray(0, 16)
  bytes.writeUIntBE(seconds * 1000, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
