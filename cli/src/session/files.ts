import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createFolder, syncFolder } from '../../../sdk/src/internal/files.node.ts'
import { CliError, EXIT } from '../core/errors.ts'

/**
 * Decodes a small text file that people may have written: without the byte order mark of Windows editors and without the
 * final line break.
 * @param name the path of the file, or the variable that contains the path
 * @throws CliError `wrong_encoding` for UTF-16, which PowerShell 5.1 writes
 */
export function decodeTextFile(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new CliError({
      code: 'wrong_encoding',
      message: `${name} is UTF-16 text.`,
      hint: 'Save the file as UTF-8. In PowerShell, write it with: Set-Content -Encoding utf8',
      exit: EXIT.usage,
    })
  }
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '')
}

export function readTextFile(path: string): string | undefined {
  try {
    return decodeTextFile(readFileSync(path), path)
  } catch (error) {
    if (error instanceof CliError) throw error
    if (isNotFound(error)) return undefined
    throw fileError(error as NodeJS.ErrnoException, path, 'read')
  }
}

const OWNER_ONLY = { file: 0o600, folder: 0o700 }

export function makeFolderOf(path: string, mode = OWNER_ONLY.folder): void {
  createFolder(dirname(path), { mode, modeAbove: mode })
}

/**
 * Replaces a file atomically and durably. If the path is a symbolic link, replaces the target of the link. We do not
 * use write-file-atomic 8, because a power cut may undo its rename (the folder is not synced), and a killed process
 * leaves a draft behind.
 */
export function replaceFile(path: string, content: string, modes = OWNER_ONLY): void {
  try {
    makeFolderOf(path, modes.folder)
    replaceEntry(targetOf(path), content, modes.file)
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path, 'written')
  }
}

/** Like {@link replaceFile}, but replaces a symbolic link itself. @throws the error of the system */
export function replaceEntry(path: string, content: string, mode = OWNER_ONLY.file): void {
  const draft = draftOf(path)
  rmSync(draft, { force: true })
  try {
    writeFileSync(draft, content, { mode, flag: 'wx', flush: true })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}

// The draft has a fixed name, so that the next change replaces the draft of a killed process.
function draftOf(target: string): string {
  return `${target}.new`
}

function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

type FileOperation = 'read' | 'written' | 'locked'

/** The message contains the path and the error code of the system, but never the content. */
export function fileError(
  { code, name }: Pick<NodeJS.ErrnoException, 'code' | 'name'>,
  path: string,
  operation: FileOperation,
): CliError {
  return new CliError({
    code: `file_not_${operation}`,
    message: `${path} cannot be ${operation} (${code ?? name}).`,
    hint: 'Check the owner of the file and its folder, and the free space. Or set XDG_CONFIG_HOME and XDG_STATE_HOME.',
    exit: EXIT.failure,
  })
}

export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
