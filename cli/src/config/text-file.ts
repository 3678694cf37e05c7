import { readFileSync } from 'node:fs'
import { fileFailure, isAbsent } from './file-failure.ts'

/** What a file says; `undefined` when there is none. @throws CliError `file_not_read` */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw fileFailure(error as NodeJS.ErrnoException, path, 'read')
  }
}
