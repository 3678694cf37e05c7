import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { CliError, usageError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'

/** A file that is there already, so that a secret which is shown only once is not lost for want of one. */
export interface ReservedFile {
  /** Writes the content to the disk. */
  keep(content: string): Promise<void>
  /** Takes the file away again. */
  discard(): Promise<void>
}

const OWNER_ONLY = 0o600

/**
 * Makes a file that only its owner can read. One that exists is left alone, or with `replace` replaced as a whole
 * once the content is there.
 */
export async function reserveSecretFile(path: string, replace: boolean): Promise<ReservedFile> {
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
