import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PasswordHasher } from '../app/core/host.ts'
import { ConfigError, type ConfigSource, readSettings } from '../node/config.ts'
import { createScryptHasher } from '../node/passwords.ts'
import { loadSecrets, readSecretsText, SECRETS_FILE } from '../node/secrets-file.ts'
import { SETTINGS } from '../node/settings.ts'
import { checkpoint, STORE_FILE } from '../storage/file/store-file.ts'
import { moveStore, refuseStore, useStorage, withLockedFolder, withTempFolder } from './core/folder.ts'
import { MaintenanceError, type MaintenanceOptions, maintain, readDataFolder } from './core/maintenance.ts'
import { atRestSecrets, encryptionWith } from './core/store.ts'
import { openDump } from './migration/dump.ts'
import { fillStorage } from './migration/fill.ts'
import { type MigrationReport, planMigration } from './migration/plan.ts'
import { readSource } from './migration/source.ts'

/** Options of {@link migrateStore}. */
export interface MigrateOptions extends ConfigSource, MaintenanceOptions {
  /** A folder or an `--archive` file of `mongodump`, or the files of `mongoexport`. Files may be gzipped. */
  readonly dump: readonly string[]
  /**
   * New names of players, by the id or the name of the player in the dump. @default a similar name replaces each name
   * that cannot be kept
   */
  readonly renames?: Readonly<Record<string, string>>
  /**
   * Called with the plan before anything is written, also in a dry run. If the function returns `false`, the migration
   * ends like a dry run.
   */
  readonly confirm?: (report: MigrationReport) => Promise<boolean>
  /** Only read the dump and report the plan. @default false */
  readonly dryRun?: boolean
  /** Hashes the passwords of players. @default scrypt at the cost that the server uses */
  readonly passwords?: Pick<PasswordHasher, 'hash'>
}

/** The migrated data, or the plan of a dry run. */
export interface MigrateReport extends MigrationReport {
  /** Number of stored catches: fewer than planned if documents share an id. Absent in a dry run. */
  readonly added?: number
  /** Path of the new data folder. */
  readonly folder: string
  /** `true` after a dry run, or if `confirm` returned `false`: nothing was changed. Absent otherwise. */
  readonly dryRun?: true
}

/**
 * Creates a data folder from a MongoDB dump of the older service: players, catches and administrators. The dump is read
 * and checked before anything is written. The folder must not contain a store. The new store appears when the migration
 * is complete. A failed migration leaves no files. To move the data to Redis, use `copyStore`.
 * @throws MaintenanceError
 */
export function migrateStore(options: MigrateOptions): Promise<MigrateReport> {
  const { signal, onProgress, dryRun = false, confirm, renames = {}, passwords = createScryptHasher() } = options
  const run = async () => {
    const path = readDataFolder(options)
    const { values, mistakes } = readSettings(['gamemodes', 'previousSecrets'], options)
    const { gamemodes, previousSecrets = [] } = values
    if (mistakes.length > 0 || !gamemodes) throw new ConfigError(mistakes)
    refuseStore(path)
    const documents = await openDump(options.dump, signal)
    const source = await readSource(documents, (done) => {
      signal?.throwIfAborted()
      onProgress?.({ step: 'check', unit: 'documents', done })
    })
    const plan = planMigration(source, { gamemodes, renames: new Map(Object.entries(renames)) })
    const { report } = plan
    const isConfirmed = (await confirm?.(report)) ?? true
    const missing = Object.keys(report.leftOut.gamemodes)
    if (isConfirmed && missing.length > 0) throw unknownGamemodes(missing, gamemodes)
    if (!isConfirmed || dryRun) return { ...report, folder: path, dryRun: true as const }

    return withLockedFolder(path, refuseStore, async (folder) => {
      const secrets = readSecretsText(folder)
      return withTempFolder(folder, 'migrate', async (temp) => {
        if (secrets !== undefined) writeFileSync(join(temp, SECRETS_FILE), secrets, { mode: 0o600, flush: true })
        const given = options.env[SETTINGS.secret.env] || undefined
        const own = given === undefined ? atRestSecrets((await loadSecrets(temp, {})).secrets) : [given]
        const encryption = encryptionWith([...own, ...previousSecrets])
        const added = await useStorage({ driver: 'file', path: temp }, (storage) =>
          fillStorage(storage, { plan, source, documents, encryption, passwords, signal, onProgress }),
        )
        checkpoint(join(temp, STORE_FILE))
        moveStore(temp, folder)
        return { ...report, added, folder }
      })
    })
  }
  return maintain(run, { signal, state: 'Nothing was migrated.' })
}

function unknownGamemodes(missing: readonly string[], gamemodes: readonly string[]): MaintenanceError {
  const message = `The dump has catches in gamemodes that the service does not have: ${missing.join(', ')}. Nothing was changed.`
  const hint = `Set FISH_GAMEMODES=${[...gamemodes, ...missing].join(',')} for this and for the server.`
  return new MaintenanceError('invalid_settings', message, { hint })
}
