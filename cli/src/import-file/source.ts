import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'

/** What is imported: a file that can be read more than once. */
export interface ImportSource {
  /** What its name says that it holds, else what it begins with. */
  readonly extension: string
  /** Names the content. */
  readonly hash: string
  /** The text, in pieces. @throws CliError when it is no UTF-8 */
  text(): AsyncIterable<string>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens what is to be imported. What can be read only once, as stdin, is kept in a file meanwhile, 0600; it is waited
 * for until its end, however long it takes.
 *
 * @param file A path, or `-` for stdin.
 * @throws CliError `file_not_readable`; the signal's reason
 */
export async function openSource(io: Pick<Io, 'stdin'>, file: string, signal: AbortSignal): Promise<ImportSource> {
  const isFile = file !== '-' && (await isRegular(file))
  const folder = isFile ? undefined : await mkdtemp(join(tmpdir(), 'fish-cli-'))
  const path = folder === undefined ? file : join(folder, 'stdin')
  const discard = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    if (!isFile) {
      const from = file === '-' ? io.stdin : createReadStream(file)
      await pipeline(from, createWriteStream(path, { mode: 0o600 }), { signal })
    }
    const hash = createHash('sha256')
    for await (const piece of createReadStream(path, { signal })) hash.update(piece as Buffer)
    return {
      extension: (/\.([a-z]+)$/i.exec(file)?.[1] ?? '').toLowerCase(),
      hash: hash.digest('hex'),
      text: () => textOf(path, signal),
      [Symbol.asyncDispose]: discard,
    }
  } catch (error) {
    await discard()
    signal.throwIfAborted()
    throw unreadable(error as NodeJS.ErrnoException)
  }
}

async function isRegular(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (error) {
    throw unreadable(error as NodeJS.ErrnoException)
  }
}

async function* textOf(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw usageError('The file is no UTF-8 text; nothing was changed.', 'Save it as UTF-8.')
    }
  }
  try {
    for await (const piece of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
      yield decode(piece as Buffer)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  yield decode()
}

function unreadable({ code }: NodeJS.ErrnoException): CliError {
  return new CliError({
    code: 'file_not_readable',
    message: `The file of --file cannot be read (${code ?? 'unknown'}); nothing was changed.`,
    hint: 'Check its path and permissions; - is stdin.',
    exit: code === 'ENOENT' ? EXIT.notFound : EXIT.usage,
  })
}
