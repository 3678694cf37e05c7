import { basename, posix, win32 } from 'node:path'
import { configPath, foldersOf, secretsPath } from '../src/config/paths.ts'

/** A file that commands read or write, by system. */
export interface FilePage {
  readonly meaning: string
  readonly linux: string
  readonly macos: string
  readonly windows: string
}

const NOWHERE = { env: {} }
const LINUX = foldersOf({ platform: 'linux', env: {}, home: '~' })
const MACOS = foldersOf({ platform: 'darwin', env: {}, home: '~' })
const WINDOWS = foldersOf({
  platform: 'win32',
  env: { APPDATA: '%APPDATA%', LOCALAPPDATA: '%LOCALAPPDATA%' },
  home: '',
})

/** The files of whoever runs the program. */
export const FILES: readonly FilePage[] = [
  file('config', basename(configPath(NOWHERE)), 'Profiles and settings. No secrets.'),
  file(
    'state',
    basename(secretsPath(NOWHERE)),
    'Secrets, where no keyring of the system keeps them. For its owner alone.',
  ),
  file('state', 'outbox-*.db', 'Catches that wait to be sent, a file for each service.'),
]

function file(folder: 'config' | 'state', name: string, meaning: string): FilePage {
  return {
    meaning,
    linux: posix.join(LINUX[folder], name),
    macos: posix.join(MACOS[folder], name),
    windows: win32.join(WINDOWS[folder], name),
  }
}
