import type { Io } from '../io.ts'
import { replaceFile } from './atomic-file.ts'
import { whileLocked } from './change-lock.ts'
import { type ConfigDocument, EMPTY_CONFIG, formatConfig, parseConfig } from './document.ts'
import { fileFailure } from './file-failure.ts'
import { configPath } from './paths.ts'
import { readTextFile } from './text-file.ts'

/** Reads profiles and settings; nothing of them when there is no file. @throws CliError when there is one that cannot be used */
export function readConfig(io: Pick<Io, 'env'>): ConfigDocument {
  const path = configPath(io)
  const text = readTextFile(path)
  return text === undefined ? EMPTY_CONFIG : parseConfig(text, path)
}

/**
 * Changes profiles and settings. What other processes change at the same time is neither lost nor mixed up.
 *
 * @param change Makes the new content from what is in the file at that moment, at once.
 * @returns The new content.
 */
export function changeConfig(
  io: Pick<Io, 'env'>,
  change: (config: ConfigDocument) => ConfigDocument,
): Promise<ConfigDocument> {
  const path = configPath(io)
  return whileLocked(io, () => {
    const changed = change(readConfig(io))
    try {
      replaceFile(path, formatConfig(changed))
    } catch (error) {
      throw fileFailure(error as NodeJS.ErrnoException, path, 'written')
    }
    return changed
  })
}
