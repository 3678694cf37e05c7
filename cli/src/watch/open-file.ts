import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isAbsent } from '../config/files.ts'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'

/** The `code` of the failure where something is at the path of a log that cannot be read as one. */
export const LOG_NOT_READABLE = 'log_not_readable'

/**
 * Opens a file for reading; `undefined` when there is none at that path.
 *
 * @throws CliError `log_not_readable`, for what is no file too
 */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle
  try {
    // A named pipe would wait for its writer where Ctrl-C does not reach. Windows has none, and no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isAbsent(error)) return undefined
    const { code } = error as NodeJS.ErrnoException
    // Windows opens no folder at all.
    if (code === 'EISDIR') throw notReadable(`${path} is a folder.`)
    throw notReadable(`${path} cannot be read (${code ?? 'unknown'}).`)
  }
  const facts = await handle.stat()
  if (facts.isFile()) return handle
  await handle.close()
  throw notReadable(facts.isDirectory() ? `${path} is a folder.` : `${path} is no file.`)
}

/** What is at the path of a log is none that can be read. */
export function notReadable(message: string): CliError {
  return new CliError({
    code: LOG_NOT_READABLE,
    message,
    hint: 'Give the path of a log that you may read: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.usage,
  })
}
