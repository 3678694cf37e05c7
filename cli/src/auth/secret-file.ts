import { constants } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { systemError } from '../config/files.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'

/** What to tell of a secret that came and could not be saved. */
export interface UnsavedSecret {
  /** What the service has done, as the beginning of a sentence. */
  readonly done: string
  /** What to type next. */
  readonly next: string
}

/** A file that has its place on the disk already, so that a secret which is shown only once is not lost for want of one. */
export interface ReservedFile {
  /** Writes the content to the disk. @throws CliError `secret_not_saved`, which says so with `lost` */
  write(content: string, lost: UnsavedSecret): Promise<void>
  /** Takes the file away again, unless the content is in it. */
  discard(): Promise<void>
}

/** The file that `--out` names. stdout is none. */
export function secretFilePath(out: string | undefined): string | undefined {
  return out === '-' ? undefined : out
}

/** Fails where {@link reserveSecretFile} would, as far as that is known before something is written, and makes nothing. */
export async function checkSecretFile(path: string, replace: boolean): Promise<void> {
  if (path === '') throw usageError('--out names no file.', 'Name one, or - for stdout.')
  if (path.endsWith('/') || path.endsWith(sep)) throw usageError(`${path} names a folder.`, 'Name a file in it.')
  try {
    const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (there && !there.isFile()) throw notRegularFile(path)
    if (there && !replace) throw systemError('EEXIST')
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw openError(error, path)
  }
}

const OWNER_ONLY = 0o600
// More than any secret takes. What is left of them when the process is killed reads as nothing.
const PLACE = '\n'.repeat(4096)

/**
 * Makes a file that only its owner can read, with room for a secret. One that exists is left alone, or with `replace`
 * replaced as a whole once the content is there. What is no regular file is never replaced.
 */
export async function reserveSecretFile(path: string, replace: boolean): Promise<ReservedFile> {
  await checkSecretFile(path, replace)
  const draft = replace ? `${path}.${crypto.randomUUID()}` : path
  const file = await open(draft, 'wx', OWNER_ONLY).catch((error: unknown) => {
    throw openError(error, path)
  })
  let isKept = false
  const discard = async () => {
    if (isKept) return
    // What a full disk could not take may be told again here.
    await file.close().catch(() => {})
    await rm(draft, { force: true })
  }
  try {
    await overwrite(file, PLACE)
  } catch (error) {
    await discard()
    throw openError(error, path)
  }
  return {
    async write(content, lost) {
      try {
        await overwrite(file, content)
        await file.close()
        if (replace) await rename(draft, path)
        isKept = true
      } catch (error) {
        await discard()
        throw notSaved(error as NodeJS.ErrnoException, path, lost)
      }
    },
    discard,
  }
}

/** Writes over what is there, so that no new place is needed. */
async function overwrite(file: FileHandle, content: string): Promise<void> {
  const bytes = Buffer.from(content)
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, written)
    written += bytesWritten
  }
  await file.truncate(bytes.length)
  await file.sync()
}

function notRegularFile(path: string): CliError {
  return new CliError({
    code: 'file_exists',
    message: `${path} is no regular file, so it is not replaced, and nothing was done.`,
    hint: 'Name another file, or - for stdout.',
    exit: EXIT.conflict,
  })
}

function notSaved({ code, name }: NodeJS.ErrnoException, path: string, { done, next }: UnsavedSecret): CliError {
  return new CliError({
    code: 'secret_not_saved',
    message: `${done}, but ${path} cannot be written (${code ?? name}): the secret could not be saved.`,
    hint: next,
    exit: EXIT.partly,
  })
}

function openError(error: unknown, path: string): CliError {
  if (error instanceof CliError) return error
  const { code, name } = error as NodeJS.ErrnoException
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
