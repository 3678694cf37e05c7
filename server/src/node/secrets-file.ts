import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppSecrets } from '../app/options.ts'

/** Thrown when the secrets beside the data cannot be used. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError'
}

/** The secrets to run with, and how to take back what was made for them. */
export interface LoadedSecrets {
  readonly secrets: AppSecrets
  /** Removes the file, when this load made it. */
  discard(): Promise<void>
}

const FILE_NAME = 'secrets.json'

/** New secrets: 256 random bits each. */
export function makeSecrets(): AppSecrets {
  return { seal: randomBytes(32).toString('base64'), session: randomBytes(32).toString('base64') }
}

/**
 * The secrets of a data folder: those given, else those kept in its `secrets.json`, which is made with mode 0600 and
 * flushed to the disk before anything is sealed with them.
 */
export async function loadSecrets(folder: string, given: Partial<AppSecrets>): Promise<LoadedSecrets> {
  if (given.seal && given.session)
    return { secrets: { seal: given.seal, session: given.session }, discard: async () => {} }
  const path = join(folder, FILE_NAME)
  const kept = await readSecrets(path)
  const secrets = kept ?? makeSecrets()
  if (!kept) await writeSecrets(folder, path, secrets)
  return {
    secrets: { seal: given.seal ?? secrets.seal, session: given.session ?? secrets.session },
    discard: async () => {
      if (!kept) await rm(path, { force: true })
    },
  }
}

async function readSecrets(path: string): Promise<AppSecrets | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new SecretsError(`Cannot read ${path}: ${error.code}.`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    const { seal, session } = JSON.parse(text) as Partial<AppSecrets>
    if (typeof seal === 'string' && seal && typeof session === 'string' && session) return { seal, session }
  } catch {
    // Told below, without the parser's message: it quotes what it read.
  }
  throw new SecretsError(`${path} is damaged. Restore it from a backup: without it, sealed keys cannot be opened.`)
}

async function writeSecrets(folder: string, path: string, secrets: AppSecrets): Promise<void> {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(secrets, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
