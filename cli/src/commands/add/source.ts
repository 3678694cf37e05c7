import { createHash } from 'node:crypto'
import { constants, createReadStream, openSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import type { System } from '../../core/system.ts'
import { isNotFound } from '../../session/files.ts'

/** A file to add. The text can be read more than once. */
export interface FileSource {
  /** The extension in lower case, or an empty text if the name has no extension. */
  readonly extension: string
  /** In bytes. */
  readonly size: number
  readonly hash: string
  /** @throws CliError when the file is not UTF-8 */
  text(): AsyncGenerator<string>
  [Symbol.asyncDispose](): Promise<void>
}

const CHUNK_BYTES = 256 * 1024

/**
 * Opens a file, or stdin for `-`. Copies stdin and pipes to an unlinked temporary file, so that no file remains after a
 * crash.
 */
export async function openSource(stdin: System['stdin'], file: string, signal: AbortSignal): Promise<FileSource> {
  let opened: Awaited<ReturnType<typeof openFile>> | undefined
  try {
    opened = await openFile(stdin, file, signal)
    const { handle, close } = opened
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of readBytes(handle, signal)) {
      hash.update(chunk)
      size += chunk.byteLength
    }
    return {
      size,
      extension: (/\.([a-z]+)$/i.exec(file)?.[1] ?? '').toLowerCase(),
      hash: hash.digest('hex'),
      text: () => readText(handle, signal),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await opened?.close()
    signal.throwIfAborted()
    throw notReadable(file, error as NodeJS.ErrnoException)
  }
}

async function openFile(stdin: System['stdin'], file: string, signal: AbortSignal) {
  if (file === '-') return copyToTempFile(stdin, signal)
  const stats = await stat(file)
  if (stats.isFIFO()) return copyToTempFile(openNamedPipe(file), signal)
  if (!stats.isFile()) return copyToTempFile(createReadStream(file), signal)
  const handle = await open(file)
  return { handle, close: () => handle.close() }
}

// A normal call that opens a named pipe blocks a thread until another program opens the pipe for writing, and Ctrl-C
// cannot interrupt the call.
function openNamedPipe(path: string): Readable {
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
}

async function copyToTempFile(from: Readable, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'fish-cli-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const handle = await open(join(folder, 'content'), 'wx+', 0o600)
  const close = async () => {
    await handle.close()
    await removeFolder()
  }
  try {
    // Windows cannot unlink an open file. On Windows, the file is removed on close.
    if (process.platform !== 'win32') await removeFolder()
    await pipeline(
      from,
      async (chunks: AsyncIterable<Uint8Array>) => {
        for await (const chunk of chunks) await handle.writeFile(chunk)
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
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES), position })
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
      throw usageError('The file is not UTF-8 text; nothing was changed.', 'Save the file as UTF-8.')
    }
  }
  for await (const chunk of readBytes(handle, signal)) yield decode(chunk)
  yield decode()
}

function notReadable(file: string, error: NodeJS.ErrnoException): CliError {
  const { code } = error
  return new CliError({
    code: 'file_not_readable',
    message: `${file === '-' ? 'stdin' : file} cannot be read (${code ?? 'unknown'}); nothing was changed.`,
    hint: 'Check the path and the permissions. Use - for stdin.',
    exit: isNotFound(error) ? EXIT.notFound : EXIT.usage,
  })
}
