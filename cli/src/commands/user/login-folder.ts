import { constants } from 'node:fs'
import { access, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder } from '../../../../sdk/src/internal/files.node.ts'
import { loginFileName } from '../../../../server/web/src/parts/login-file.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { isNotFound, replaceEntry } from '../../session/files.ts'

/** A folder with a login file for each player. */
export interface LoginFolder {
  has(player: string): boolean
  path(player: string): string
  /** Creates the folder if it is missing. */
  create(): void
  /** The file is on the disk when the call returns. */
  write(player: string, content: string): void
}

/** Changes nothing. @throws CliError if the folder is a file or a link, or cannot be written */
export async function openLoginFolder(folder: string): Promise<LoginFolder> {
  const names = await readdirIfExists(folder)
  const existing = new Set(names.map((name) => name.toLowerCase()))
  const path = (player: string) => join(folder, loginFileName(player))
  return {
    path,
    // Names of players are unique without regard to case.
    has: (player) => existing.has(loginFileName(player).toLowerCase()),
    create: () => attempt(folder, () => createFolder(folder)),
    write: (player, content) => attempt(path(player), () => replaceEntry(path(player), content)),
  }
}

async function readdirIfExists(folder: string): Promise<readonly string[]> {
  if (folder === '') throw usageError('--login-files is empty.', 'Pass the path of a folder.')
  try {
    if (!(await lstat(folder)).isDirectory()) {
      throw usageError(`${folder} is not a folder.`, 'Pass a new folder to --login-files.')
    }
    await access(folder, constants.W_OK | constants.X_OK)
    return await readdir(folder)
  } catch (error) {
    if (error instanceof CliError) throw error
    if (isNotFound(error)) return []
    throw notWritten(error as NodeJS.ErrnoException, folder)
  }
}

function attempt(path: string, write: () => unknown): void {
  try {
    write()
  } catch (error) {
    throw notWritten(error as NodeJS.ErrnoException, path)
  }
}

function notWritten({ code, name }: NodeJS.ErrnoException, path: string): CliError {
  return new CliError({
    code: 'file_not_written',
    message: `${path} cannot be written (${code ?? name}).`,
    hint: 'Check the owner of the folder and the free space, or pass another folder to --login-files.',
    exit: EXIT.failure,
  })
}
