export { type BackupOptions, type BackupReport, backupStore } from './backup.ts'
export { type CopyOptions, type CopyReport, copyStore } from './copy.ts'
export {
  MaintenanceError,
  type MaintenanceErrorCode,
  type MaintenanceOptions,
  type MaintenanceProgress,
} from './core/maintenance.ts'
export { type MigrateOptions, type MigrateReport, migrateStore } from './migrate.ts'
export type { MigrationReport } from './migration/plan.ts'
export {
  type ResetAdminPasswordOptions,
  type ResetAdminPasswordReport,
  resetAdminPassword,
} from './reset-admin-password.ts'
export { type RestoreOptions, type RestoreReport, restoreStore } from './restore.ts'
export { type RotateSecretOptions, type RotateSecretReport, rotateSecret } from './rotate-secret.ts'
