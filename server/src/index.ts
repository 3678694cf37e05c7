export type { AdminRole, Gamemode } from '@fish-crab/sdk/contract'
export { ConfigError, type ConfigSource, readConfig, type ServerConfig } from './node/config.ts'
export { createNodeEncoder } from './node/content-encoder.ts'
export type { ConnectionLimits } from './node/listener.ts'
export { type BoundedLogger, createLogger, type LogTarget } from './node/logger.ts'
export { type BackupOptions, type BackupReport, backupStore } from './node/maintenance/backup.ts'
export { type CopyOptions, type CopyReport, copyStore } from './node/maintenance/copy.ts'
export {
  MaintenanceError,
  type MaintenanceErrorCode,
  type MaintenanceOptions,
  type MaintenanceProgress,
} from './node/maintenance/maintenance.ts'
export {
  type ResetAdminPasswordOptions,
  type ResetAdminPasswordReport,
  resetAdminPassword,
} from './node/maintenance/reset-admin-password.ts'
export { type RestoreOptions, type RestoreReport, restoreStore } from './node/maintenance/restore.ts'
export { type RotateSecretOptions, type RotateSecretReport, rotateSecret } from './node/maintenance/rotate-secret.ts'
export type { MigrateOptions, MigrateReport } from './node/migration/migrate.ts'
export { migrateStore } from './node/migration/migrate.ts'
export type { MigrationReport } from './node/migration/plan.ts'
export { createScryptHasher, type ScryptCost } from './node/passwords.ts'
export { SERVE_EXIT, type ServeOptions, serve } from './node/serve.ts'
export { flagOf, LOG_FORMATS, type LogFormat, SETTINGS, type Setting } from './node/settings.ts'
export { type RunningServer, type StartOptions, startServer } from './node/start.ts'
export type { RedisClusterTarget } from './storage/redis/address.ts'
