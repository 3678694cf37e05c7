import { constants } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { fieldLines } from '../terminal/table.ts'
import { COPYABLE } from '../terminal/terminal.ts'
import type { Run } from './define.ts'

export interface UnsavedSecret {
  /** The start of the error message, such as `The service created Alex`. */
  readonly done: string
  readonly next: string
}

export function secretFilePath(out: string | undefined): string | undefined {
  return out === '-' ? undefined : out
}

/** Throws the errors that {@link reserveSecretFile} would throw, as far as possible without creating a file. */
export async function checkSecretFile(path: string, replace: boolean): Promise<void> {
  if (path === '') throw usageError('The path of the file is empty.', 'Pass the path of a file, or - for stdout.')
  if (path.endsWith('/') || path.endsWith(sep))
    throw usageError(`${path} is a folder.`, 'Choose a file in that folder.')
  try {
    const existing = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (existing && !existing.isFile())
      throw fileExists(`${path} is not a regular file`, 'Choose another file, or - for stdout.')
    if (existing && !replace) throw alreadyExists(path)
    await access(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw openError(error, path)
  }
}

const OWNER_ONLY = 0o600
// Longer than any secret. If the process is killed, the file contains only these blank lines.
const RESERVED = '\n'.repeat(4096)

/**
 * Reserves space on the disk before the request, so that a secret that is shown only once can always be saved. With
 * `replace`, an existing regular file is replaced atomically once the secret is written. If the secret is not written,
 * the reserved file is removed.
 */
export async function reserveSecretFile(path: string, replace: boolean) {
  await checkSecretFile(path, replace)
  const draft = replace ? `${path}.${crypto.randomUUID()}` : path
  const file = await open(draft, 'wx', OWNER_ONLY).catch((error: unknown) => {
    throw openError(error, path)
  })
  let isWritten = false
  const discard = async () => {
    if (isWritten) return
    // If the disk is full, closing the file may throw the same error as the write.
    await file.close().catch(() => {})
    await rm(draft, { force: true })
  }
  try {
    await overwrite(file, RESERVED)
  } catch (error) {
    await discard()
    throw openError(error, path)
  }
  return {
    async write(content: string, unsaved: UnsavedSecret) {
      try {
        await overwrite(file, content)
        await file.close()
        if (replace) await rename(draft, path)
        isWritten = true
      } catch (error) {
        throw notSaved(error as NodeJS.ErrnoException, path, unsaved)
      }
    },
    [Symbol.asyncDispose]: discard,
  }
}

// Overwrites the file in place, so that no new space is needed.
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

function fileExists(message: string, hint: string): CliError {
  return new CliError({ code: 'file_exists', message: `${message}; nothing was changed.`, hint, exit: EXIT.conflict })
}

function alreadyExists(path: string): CliError {
  return fileExists(`${path} already exists`, 'Choose another file, or add --force.')
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
  if (code === 'EEXIST') return alreadyExists(path)
  if (code === 'ENOENT')
    return usageError(`The folder of ${path} does not exist.`, 'Create it first, or choose another file.')
  const message = `${path} cannot be written (${code ?? name}).`
  return new CliError({ code: 'file_not_written', message, hint: 'Choose another file.', exit: EXIT.failure })
}

interface SecretFlags {
  readonly json?: boolean | undefined
  readonly show?: boolean | undefined
  readonly out?: string | undefined
  readonly force?: boolean | undefined
}

/**
 * Returns whether to print a new secret. The secret is printed if the flags request the output, or if stdout is a
 * terminal and the flags select neither a file nor JSON. Changes nothing.
 */
export async function checkDestination({ terminal, flags }: Run<SecretFlags>, title: string): Promise<boolean> {
  const file = secretFilePath(flags.out)
  if (file !== undefined) await checkSecretFile(file, flags.force === true)
  if (flags.show || flags.out === '-') return true
  if (file !== undefined) return false
  if (terminal.screen.isTerminal && !flags.json) return true
  throw usageError(`The new ${title} would be lost; nothing was changed.`, 'Add --out FILE, or --show to print it.')
}

interface PlayerSecret {
  readonly user: string
  /** The name of the secret in messages. */
  readonly title: string
  /** Additional fields of the output. */
  readonly about: object
  readonly field: 'fernetKey' | 'secret'
  readonly isShown: boolean
  readonly unsaved: UnsavedSecret
  request(): Promise<string>
}

/** Requests a secret and outputs the secret. The file is reserved before the request. */
export async function outputSecret(run: Run<SecretFlags>, delivery: PlayerSecret): Promise<number> {
  const { terminal, flags } = run
  const { user, title, about, unsaved } = delivery
  const path = secretFilePath(flags.out)
  await using file = path === undefined ? undefined : await reserveSecretFile(path, flags.force === true)
  const secret = await delivery.request()
  if (path === undefined) return printSecret(run, delivery, secret)
  await file?.write(`${secret}\n`, unsaved)
  return terminal.print({ ...about, file: path }, () => `The ${title} of ${user} is in ${path}.`)
}

const VISIBLE_CHARACTERS = 4

function printSecret(
  { terminal, flags }: Run<SecretFlags>,
  { title, about, field, isShown }: PlayerSecret,
  secret: string,
): number {
  const visible = isShown ? secret : `${secret.slice(0, VISIBLE_CHARACTERS)}********`
  const row = { ...about, [field]: visible, masked: !isShown }
  if (isShown) {
    if (!flags.show && flags.out !== '-') terminal.note(`Save the new ${title}: it cannot be shown again.`)
  } else terminal.note(`The ${title} is masked. To save it, add --out FILE; to print it, add --show.`)
  const columns = Object.keys(row).map((name) => ({ field: name, whole: true }))
  const text = () => (isShown ? secret : fieldLines(row, columns))
  return terminal.print(row, text, COPYABLE)
}
