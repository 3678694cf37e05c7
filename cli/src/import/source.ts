import { createHash } from 'node:crypto'
import { constants, createReadStream, openSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'

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

const PIECE_BYTES = 256 * 1024

/**
 * Opens what is to be imported. What can be read only once, as stdin, is kept in a file meanwhile that has no name, so
 * that nothing of it is left however this ends; its end is waited for, however long it takes.
 *
 * @param file A path, or `-` for stdin.
 * @throws CliError `file_not_readable`; the signal's reason
 */
export async function openSource(
  context: Pick<Context, 'stdin'>,
  file: string,
  signal: AbortSignal,
): Promise<ImportSource> {
  const { handle, close } = await openFile(context, file, signal)
  try {
    const hash = createHash('sha256')
    for await (const piece of readBytes(handle, signal)) hash.update(piece)
    return {
      extension: (/\.([a-z]+)$/i.exec(file)?.[1] ?? '').toLowerCase(),
      hash: hash.digest('hex'),
      text: () => readText(handle, signal),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    signal.throwIfAborted()
    throw notReadable(error as NodeJS.ErrnoException)
  }
}

interface OpenFile {
  readonly handle: FileHandle
  close(): Promise<void>
}

async function openFile({ stdin }: Pick<Context, 'stdin'>, file: string, signal: AbortSignal): Promise<OpenFile> {
  try {
    if (file === '-') return await copyToTempFile(stdin, signal)
    const facts = await stat(file)
    if (facts.isFIFO()) return await copyToTempFile(openNamedPipe(file), signal)
    if (!facts.isFile()) return await copyToTempFile(createReadStream(file), signal)
    const handle = await open(file)
    return { handle, close: () => handle.close() }
  } catch (error) {
    signal.throwIfAborted()
    throw notReadable(error as NodeJS.ErrnoException)
  }
}

/** A named pipe. A plain open would wait for its writer where Ctrl-C does not reach. */
function openNamedPipe(path: string): Readable {
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
}

/** All of a stream, in a file that only this process can find. */
async function copyToTempFile(from: Readable, signal: AbortSignal): Promise<OpenFile> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-cli-'))
  const discard = () => rm(folder, { recursive: true, force: true })
  const handle = await open(join(folder, 'content'), 'wx+', 0o600)
  const close = async () => {
    await handle.close()
    await discard()
  }
  try {
    // Windows takes no name from an open file; there it goes when it is closed.
    if (process.platform !== 'win32') await discard()
    await pipeline(
      from,
      async (pieces: AsyncIterable<Uint8Array>) => {
        for await (const piece of pieces) await handle.writeFile(piece)
      },
      { signal },
    )
    return { handle, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function* readBytes(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    signal.throwIfAborted()
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(PIECE_BYTES), position })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function* readText(handle: FileHandle, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw usageError('The file is no UTF-8 text; nothing was changed.', 'Save it as UTF-8.')
    }
  }
  for await (const piece of readBytes(handle, signal)) yield decode(piece)
  yield decode()
}

function notReadable({ code }: NodeJS.ErrnoException): CliError {
  return new CliError({
    code: 'file_not_readable',
    message: `The file of --file cannot be read (${code ?? 'unknown'}); nothing was changed.`,
    hint: 'Check its path and permissions; - is stdin.',
    exit: code === 'ENOENT' ? EXIT.notFound : EXIT.usage,
  })
}
