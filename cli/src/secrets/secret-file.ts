import { constants } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError, usageError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'

/** A file that is there already, so that a secret which is shown only once is not lost for want of one. */
export interface ReservedFile {
  /** Writes the content to the disk. */
  keep(content: string): Promise<void>
  /** Takes the file away again. */
  discard(): Promise<void>
}

/** The file that `--out` names. stdout is none. */
export function fileOf(out: string | undefined): string | undefined {
  return out === '-' ? undefined : out
}

/** Fails where {@link reserveSecretFile} would, and makes nothing. */
export async function checkSecretFile(path: string, replace: boolean): Promise<void> {
  if (path === '') throw usageError('--out names no file.', 'Name one, or - for stdout.')
  try {
    const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (there && !replace) throw systemError('EEXIST')
    if (there?.isDirectory()) throw systemError('EISDIR')
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw openFailure(error as NodeJS.ErrnoException, path)
  }
}

const OWNER_ONLY = 0o600

/**
 * Makes a file that only its owner can read. One that exists is left alone, or with `replace` replaced as a whole
 * once the content is there.
 */
export async function reserveSecretFile(path: string, replace: boolean): Promise<ReservedFile> {
  await checkSecretFile(path, replace)
  const draft = replace ? `${path}.${crypto.randomUUID()}` : path
  const file = await open(draft, 'wx', OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
    throw openFailure(error, path)
  })
  const discard = () => rm(draft, { force: true })
  return {
    async keep(content) {
      try {
        await write(file, content)
        if (replace) await rename(draft, path)
      } catch (error) {
        await discard()
        throw openFailure(error as NodeJS.ErrnoException, path)
      }
    },
    async discard() {
      await file.close()
      await discard()
    },
  }
}

async function write(file: FileHandle, content: string): Promise<void> {
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

function openFailure({ code, name }: NodeJS.ErrnoException, path: string): CliError {
  if (code === 'EEXIST') {
    const message = `${path} exists already, and nothing was done.`
    return new CliError({
      code: 'file_exists',
      message,
      hint: 'Name another file, or add --force.',
      exit: EXIT.conflict,
    })
  }
  if (code === 'ENOENT') return usageError(`There is no folder for ${path}.`, 'Make it first, or name another file.')
  const message = `${path} cannot be written (${code ?? name}).`
  return new CliError({ code: 'file_not_written', message, hint: 'Name another file.', exit: EXIT.failure })
}
