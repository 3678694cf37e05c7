import { statSync } from 'node:fs'
import { MaintenanceError } from './maintenance-error.ts'

/**
 * Refuses what cannot be read twice, as an import does: first to check it whole, then to write it. One that is not there
 * is told of by whoever opens it.
 * @throws MaintenanceError `invalid_path`
 */
export function checkExportSource(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found || found.isFile()) return
  if (found.isDirectory()) {
    throw new MaintenanceError('invalid_path', `${file} is a folder.`, {
      hint: 'Name a file that fish-cli export wrote.',
    })
  }
  throw new MaintenanceError('invalid_path', `${file} is no file that can be read twice, as an import does.`, {
    hint: 'Write it into a file, and name that.',
  })
}
