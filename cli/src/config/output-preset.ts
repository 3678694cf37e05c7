import type { Io } from '../core/io.ts'
import { readConfig } from './config-file.ts'
import { EMPTY_CONFIG } from './document.ts'
import { settingValue } from './settings.ts'

/** The form in which rows are printed when no flag says it: FISH_OUTPUT, else the setting. */
export function outputPreset(io: Pick<Io, 'env'>): string | undefined {
  return settingValue('output', io.env, settingsOf(io))
}

// Whoever needs the configuration says what is wrong with it; how to print is not worth a failure.
function settingsOf(io: Pick<Io, 'env'>) {
  try {
    return readConfig(io).settings
  } catch {
    return EMPTY_CONFIG.settings
  }
}
