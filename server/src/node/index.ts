export { ConfigError, type ConfigSource, readConfig, type ServerConfig } from './config.ts'
export { createNodeEncoder } from './content-encoder.ts'
export type { ConnectionLimits } from './listener.ts'
export { type BoundedLogger, createLogger, type LogTarget } from './logger.ts'
export { type BackupOptions, type BackupReport, backupStore } from './maintenance/backup.ts'
export { type ExportOptions, type ExportReport, exportStore } from './maintenance/export.ts'
export type { ExportCounts } from './maintenance/export-format.ts'
export { type ImportOptions, type ImportReport, importStore } from './maintenance/import.ts'
export { MaintenanceError, type MaintenanceErrorCode } from './maintenance/maintenance-error.ts'
export type { DryRunMark, MaintenanceOptions, MaintenanceProgress } from './maintenance/progress.ts'
export {
  type ResetAdminPasswordOptions,
  type ResetAdminPasswordReport,
  resetAdminPassword,
} from './maintenance/reset-admin-password.ts'
export { type RestoreOptions, type RestoreReport, restoreStore } from './maintenance/restore.ts'
export { type RotateSecretOptions, type RotateSecretReport, rotateSecret } from './maintenance/rotate-secret.ts'
export { createScryptHasher, type ScryptCost } from './passwords.ts'
export { SERVE_EXIT, type ServeOptions, serve } from './serve.ts'
export { LOG_FORMATS, type LogFormat, SETTINGS, type Setting } from './settings.ts'
export { type RunningServer, type StartOptions, startServer } from './start.ts'
