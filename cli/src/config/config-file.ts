import type { Io } from '../core/io.ts'
import { checkReplaceable, replaceFile } from './atomic-file.ts'
import { asIfLocked, whileLocked } from './change-lock.ts'
import { type ConfigDocument, EMPTY_CONFIG, formatConfig, parseConfig } from './document.ts'
import { fileFailure } from './file-failure.ts'
import { configPath } from './paths.ts'
import type { SettingKey } from './settings.ts'
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
  return whileLocked(io, () => {
    const changed = change(readConfig(io))
    write(io, (path) => replaceFile(path, formatConfig(changed)))
    return changed
  })
}

/**
 * Tries a change of profiles and settings: nothing is written.
 *
 * @returns What the content would be.
 * @throws What {@link changeConfig} would, as far as that can be known.
 */
export function tryConfigChange(
  io: Pick<Io, 'env'>,
  change: (config: ConfigDocument) => ConfigDocument,
): ConfigDocument {
  return asIfLocked(io, () => {
    const changed = change(readConfig(io))
    write(io, checkReplaceable)
    return changed
  })
}

/** Gives a setting a value, or removes it where that is `undefined`. With `dryRun` nothing is written. */
export async function changeSetting(
  io: Pick<Io, 'env'>,
  key: SettingKey,
  { value, dryRun }: { readonly value: string | undefined; readonly dryRun: boolean },
): Promise<void> {
  const change = (config: ConfigDocument) => ({ ...config, settings: { ...config.settings, [key]: value } })
  await (dryRun ? tryConfigChange : changeConfig)(io, change)
}

function write(io: Pick<Io, 'env'>, deed: (path: string) => void): void {
  const path = configPath(io)
  try {
    deed(path)
  } catch (error) {
    throw fileFailure(error as NodeJS.ErrnoException, path, 'written')
  }
}
