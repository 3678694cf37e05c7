import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { usageError } from '../../core/errors.ts'

export interface UploadedLog {
  /** A random name for the logs that the player chose together. */
  readonly batch: string
  /** Logs of one folder are read together. */
  readonly folder: number
  /** The name, which may contain the date of the log. */
  readonly name: string
  /** The time of the last change, in milliseconds since 1970. */
  readonly writtenAt: number
}

const isBatch = (batch: string) => /^[\da-f-]{36}$/.test(batch)

/** Old logs that the player has dropped on the page: a browser gives their content, not their path. */
export class Uploads {
  #root: Promise<string> | undefined

  /** @throws CliError `usage` */
  async save({ batch, folder, name, writtenAt }: UploadedLog, content: ReadableStream<Uint8Array>): Promise<void> {
    const isName = /^[^/\\\0]{1,255}$/.test(name) && !/^\.+$/.test(name)
    if (!isBatch(batch) || !isName || !Number.isSafeInteger(folder) || !Number.isFinite(writtenAt)) {
      throw usageError('Invalid upload.')
    }
    this.#root ??= mkdtemp(join(tmpdir(), 'fish-logs-'))
    const path = join(await this.#root, batch, String(folder))
    await mkdir(path, { recursive: true, mode: 0o700 })
    const file = join(path, name)
    await pipeline(Readable.fromWeb(content as NodeReadableStream), createWriteStream(file, { mode: 0o600 }))
    await utimes(file, writtenAt / 1000, writtenAt / 1000)
  }

  /**
   * Reads a batch, and deletes it afterwards.
   * @throws CliError `usage`
   */
  async use<Result>(batch: string, read: (folders: readonly string[]) => Promise<Result>): Promise<Result> {
    if (!isBatch(batch) || !this.#root) throw usageError('No logs were uploaded.')
    const path = join(await this.#root, batch)
    try {
      const folders = await readdir(path).catch(() => [])
      return await read(folders.map((folder) => join(path, folder)))
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  }

  async clear(): Promise<void> {
    const root = await this.#root
    this.#root = undefined
    if (root) await rm(root, { recursive: true, force: true })
  }
}
