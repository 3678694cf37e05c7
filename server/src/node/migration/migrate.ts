import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type User, userNameKey } from '@fish-crab/sdk/contract'
import type { StoredAdmin } from '../../app/auth/admins.ts'
import type { PasswordHasher } from '../../app/core/host.ts'
import type { AppSecrets } from '../../app/options.ts'
import { ADMINS_KEY, secretKey, USERS_BASE } from '../../app/store/item-keys.ts'
import { checkFinished, refuseUnfinished } from '../../app/store/store-id.ts'
import type { Encryption } from '../../app/users/encryption.ts'
import { verifySecretCheck } from '../../app/users/secret-check.ts'
import { StorageError } from '../../storage/core/errors.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import { REMOVED_VERSION, type StorageExtension } from '../../storage/core/types.ts'
import { checkpoint, STORE_FILE } from '../../storage/file/store-file.ts'
import { createStorage } from '../../storage/index.ts'
import { ConfigError, type ConfigSource, readSettings } from '../config.ts'
import { moveStore, refuseStore, tempFoldersIn, useStorage, withLockedFolder } from '../maintenance/folder.ts'
import {
  type DryRunOption,
  type DryRunReport,
  MaintenanceError,
  type MaintenanceOptions,
  type MaintenanceSettings,
  maintain,
  readMaintenanceSettings,
} from '../maintenance/maintenance.ts'
import { atRestSecrets, encryptionWith } from '../maintenance/store.ts'
import { createScryptHasher } from '../passwords.ts'
import { loadSecrets, readSecretsText, SECRETS_FILE } from '../secrets-file.ts'
import { type Dump, openDump } from './dump.ts'
import { fillStorage } from './fill.ts'
import { type MigrationPlan, type MigrationReport, planMigration } from './plan.ts'
import { readSource, type Source } from './source.ts'

/** Options of {@link migrateStore}. */
export interface MigrateOptions extends ConfigSource, MaintenanceOptions, DryRunOption {
  /** A folder or an `--archive` file of `mongodump`, or the files of `mongoexport`; each perhaps gzipped. */
  readonly dump: readonly string[]
  /** Add the catches of players who exist in a Redis already. @default they are left out */
  readonly merge?: boolean
  /** New names of players, by their id or their name in the dump. @default those that cannot be kept get a similar one */
  readonly renames?: Readonly<Record<string, string>>
  /** Called with what would be done before anything is written, also in a dry run; `false` ends it as one. */
  readonly confirm?: (report: MigrationReport) => Promise<boolean>
  /** @default scrypt at the cost of the server */
  readonly passwords?: Pick<PasswordHasher, 'hash'>
}

/** What was migrated, or in a dry run, what would be. */
export interface MigrateReport extends MigrationReport, DryRunReport {
  /** Catches that were not there yet: fewer if an earlier run has added some, or documents share an id. Absent in a dry run. */
  readonly added?: number
  /** The data folder; `null` for Redis. */
  readonly folder: string | null
}

/**
 * Brings players, catches and administrators over from the database of the service that this one stands in for.
 * Everything is read and checked before anything is written. A data folder must not contain a store yet; it gets one when
 * the migration is complete. In a Redis, players appear last. A migration that was interrupted or killed continues when
 * it is repeated, and adds nothing twice.
 * @throws MaintenanceError
 */
export function migrateStore(options: MigrateOptions): Promise<MigrateReport> {
  const run = async () => {
    const settings = readMaintenanceSettings(options)
    const { values, mistakes } = readSettings(['gamemodes'], options)
    if (mistakes.length > 0 || !values.gamemodes) throw new ConfigError(mistakes)
    const dump = await openDump(options.dump, options.signal)
    const work: Work = { ...options, documents: dump, settings, gamemodes: values.gamemodes }
    return settings.storage.driver === 'file' ? migrateFolder(settings.storage.path, work) : migrateRedis(work)
  }
  const hint = 'Run it again: it continues where it stopped.'
  return maintain(run, { signal: options.signal, state: 'No player was added yet.', hint })
}

interface Work extends MigrateOptions {
  readonly documents: Dump
  readonly settings: MaintenanceSettings
  readonly gamemodes: readonly string[]
}

function readDump({ documents, signal, onProgress }: Work): Promise<Source> {
  return readSource(documents, (done) => {
    signal?.throwIfAborted()
    onProgress?.({ step: 'check', unit: 'documents', done })
  })
}

interface Target extends Pick<StorageExtension, 'listItems' | 'version'> {
  readonly items: { getItem(key: string): Promise<string | null> }
}

const PAGE = 1000

/** @param target absent for an empty one */
async function makePlan(source: Source, work: Work, target?: Target): Promise<MigrationPlan> {
  const { gamemodes, renames = {}, merge = false } = work
  const existing = new Map<string, User>()
  const [deleted, begun] = [new Set<string>(), new Set<string>()]
  let existingAdmins: readonly StoredAdmin[] = []
  if (target) {
    refuseUnfinished(await target.items.getItem(STORE_KEY))
    let after: string | undefined
    do {
      const range = { base: USERS_BASE, limit: PAGE, ...(after === undefined ? {} : { after }) }
      const page = await target.listItems(range)
      for (const { value } of page.items) {
        const user = JSON.parse(value) as User
        existing.set(userNameKey(user.name), user)
      }
      after = page.next
    } while (after !== undefined)
    for (const { id } of source.users) {
      const version = await target.version({ owner: id, kind: 'fish', gamemode: gamemodes[0] ?? '' })
      if (version === REMOVED_VERSION) deleted.add(id)
      else if ((await target.items.getItem(secretKey(id, 'password'))) !== null) begun.add(id)
    }
    existingAdmins = JSON.parse((await target.items.getItem(ADMINS_KEY)) ?? '[]')
  }
  return planMigration(source, {
    ...{ existing, deleted, begun, existingAdmins, gamemodes },
    ...{ renames: new Map(Object.entries(renames)), isMerging: merge },
  })
}

/** Whether to go on after the report. @throws MaintenanceError `invalid_settings` where the service lacks a gamemode */
async function isConfirmed({ report }: MigrationPlan, { dryRun, confirm, gamemodes }: Work): Promise<boolean> {
  if (!((await confirm?.(report)) ?? true)) return false
  const missing = Object.keys(report.leftOut.gamemodes)
  if (missing.length > 0) throw unknownGamemodes(missing, gamemodes)
  return !dryRun
}

function unknownGamemodes(missing: readonly string[], gamemodes: readonly string[]): MaintenanceError {
  const message = `The dump has catches in gamemodes that the service does not have: ${missing.join(', ')}. Nothing was changed.`
  const hint = `Set FISH_GAMEMODES=${[...gamemodes, ...missing].join(',')} for this and for the server.`
  return new MaintenanceError('invalid_settings', message, { hint })
}

async function migrateFolder(path: string, work: Work): Promise<MigrateReport> {
  return withLockedFolder(path, work.dryRun ?? false, async (folder) => {
    refuseStore(folder)
    const source = await readDump(work)
    const plan = await makePlan(source, work)
    if (!(await isConfirmed(plan, work))) return { ...plan.report, folder, dryRun: true }
    return migrateBeside(folder, { source, plan }, work)
  })
}

interface Planned {
  readonly source: Source
  readonly plan: MigrationPlan
}

/** Fills a store in a temporary folder, which stays if that is interrupted or killed: the same run continues there. */
async function migrateBeside(folder: string, planned: Planned, work: Work): Promise<MigrateReport> {
  const { renames, gamemodes, settings, signal } = work
  const secrets = readSecretsText(folder)
  const identity = JSON.stringify([planned.source.digest, settings.secret === undefined, renames, gamemodes, secrets])
  const temp = join(folder, `.migrate-${createHash('sha256').update(identity).digest('hex').slice(0, 8)}`)
  for (const other of tempFoldersIn(folder)) if (other !== temp) rmSync(other, { recursive: true, force: true })
  let [isKept, added] = [false, 0]
  try {
    beginIn(temp, secrets)
    added = await fillIn(temp, planned, work)
    moveStore(temp, folder)
  } catch (error) {
    isKept = signal?.aborted === true || (error instanceof StorageError && error.code === 'unavailable')
    throw error
  } finally {
    if (!isKept) rmSync(temp, { recursive: true, force: true })
  }
  return { ...planned.plan.report, added, folder }
}

/** The secrets are complete before there is a store. */
function beginIn(temp: string, secrets: string | undefined): void {
  if (existsSync(join(temp, STORE_FILE))) return
  rmSync(temp, { recursive: true, force: true })
  mkdirSync(temp, { mode: 0o700 })
  if (secrets !== undefined) writeFileSync(join(temp, SECRETS_FILE), secrets, { mode: 0o600, flush: true })
}

async function fillIn(temp: string, planned: Planned, work: Work): Promise<number> {
  const { settings, passwords = createScryptHasher() } = work
  const stored = settings.secret === undefined ? (await loadSecrets(temp, {})).secrets : undefined
  const storage = await createStorage({ driver: 'file', path: temp })
  const encryption = encryptionFor(settings, stored)
  const filled = fillStorage(storage, { ...work, ...planned, encryption, passwords, mayRefuseSome: false })
  const added = await filled.finally(() => storage.dispose())
  checkpoint(join(temp, STORE_FILE))
  return added
}

/** As a server with the same settings has it. @param stored the secrets beside the data */
function encryptionFor({ secret, previousSecrets }: MaintenanceSettings, stored?: AppSecrets): Encryption {
  const own = secret === undefined && stored ? atRestSecrets(stored) : [secret ?? '']
  return encryptionWith([...own, ...previousSecrets])
}

async function migrateRedis(work: Work): Promise<MigrateReport> {
  const { settings, passwords = createScryptHasher() } = work
  const { storage: address } = settings
  if (address.driver === 'file') throw new TypeError('migrateRedis: a Redis is needed.')
  if (settings.secret === undefined) {
    throw new MaintenanceError('missing_secret', 'FISH_SECRET is not set. Nothing was changed.', {
      hint: 'Set it to the secret of the servers on this Redis.',
    })
  }
  const encryption = encryptionFor(settings)
  const { openRedisReader } = await import('../../storage/redis/redis.ts')
  const reader = await openRedisReader(address)
  const planOn = async () => {
    await verifySecretCheck(reader, encryption)
    const source = await readDump(work)
    return { source, plan: await makePlan(source, work, reader) }
  }
  const planned = await planOn().finally(() => reader.dispose())
  const { report } = planned.plan
  if (!(await isConfirmed(planned.plan, work))) return { ...report, folder: null, dryRun: true }
  const added = await useStorage(address, async (storage) => {
    await checkFinished(storage)
    return fillStorage(storage, { ...work, ...planned, encryption, passwords, mayRefuseSome: true })
  })
  return { ...report, added, folder: null }
}
