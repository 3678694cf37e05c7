import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { checkReplaceable, fileError, makeFolderOf, readTextFile, removeDraft } from '../config/files.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { SCRIPT_MARK } from './completion-scripts.ts'

const READABLE_BY_ALL = 0o644
// As far as the umask lets them.
const ENTERED_BY_ALL = 0o777

/**
 * Puts a script into its place, as a whole, and makes the folders it needs. A script of before is replaced; another
 * file is left alone.
 *
 * @param dryRun Only looks whether it could. @default false
 * @throws CliError `file_exists` where there is a file of somebody else, `file_not_written`, `file_not_read`
 */
export function installScript(path: string, script: string, dryRun: boolean): void {
  if (readTextFile(path)?.includes(SCRIPT_MARK) === false) throw isAnothers(path)
  try {
    if (dryRun) {
      checkReplaceable(path)
      return
    }
    makeFolderOf(path, ENTERED_BY_ALL)
    replace(path, script)
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'written')
  }
}

function replace(path: string, script: string): void {
  const draft = `${path}.new`
  removeDraft(draft)
  try {
    writeFileSync(draft, script, { mode: READABLE_BY_ALL })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function isAnothers(path: string): CliError {
  return new CliError({
    code: 'file_exists',
    message: `${path} exists already, and fish-cli did not write it.`,
    hint: 'Move it away, or print the script and put it where you like: see fish-cli completion --help',
    exit: EXIT.conflict,
  })
}
