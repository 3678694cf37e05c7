import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { usageError } from '../../core/errors.ts'

export interface UploadedLog {
  /** Logs of one folder are read together. */
  readonly folder: number
  /** The name, which may contain the date of the log. */
  readonly name: string
  /** The time of the last change, in milliseconds since 1970. */
  readonly writtenAt: number
}

/** Old logs that the player has dropped on the page: a browser gives their content, not their path. */
export class Uploads {
  #root: Promise<string> | undefined
  #folders = new Set<string>()

  get folders(): readonly string[] {
    return [...this.#folders]
  }

  /** @throws CliError `usage` */
  async save({ folder, name, writtenAt }: UploadedLog, content: ReadableStream<Uint8Array>): Promise<void> {
    const isName = /^[^/\\\0]{1,255}$/.test(name) && !/^\.+$/.test(name)
    if (!isName || !Number.isSafeInteger(folder) || !Number.isFinite(writtenAt)) throw usageError('Invalid upload.')
    this.#root ??= mkdtemp(join(tmpdir(), 'fish-logs-'))
    const path = join(await this.#root, String(folder))
    await mkdir(path, { recursive: true, mode: 0o700 })
    this.#folders.add(path)
    const file = join(path, name)
    await pipeline(Readable.fromWeb(content as NodeReadableStream), createWriteStream(file, { mode: 0o600 }))
    await utimes(file, writtenAt / 1000, writtenAt / 1000)
  }

  /** Replaces the paths of the uploads, which mean nothing to the player. */
  describe(line: string): string {
    const shown = this.folders.reduce((text, folder) => text.replace(folder, ''), line)
    return shown === line
      ? line
      : shown.replace(/^(?:(\d+ logs?) in )?[ ,]{0,999}: /, (_, logs) => (logs ? `${logs}: ` : ''))
  }

  async clear(): Promise<void> {
    const root = await this.#root
    this.#root = undefined
    this.#folders = new Set()
    if (root) await rm(root, { recursive: true, force: true })
  }
}
