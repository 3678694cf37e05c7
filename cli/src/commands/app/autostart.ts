import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isSea } from 'node:sea'
import { promisify } from 'node:util'
import { usageError } from '../../core/errors.ts'
import type { System } from '../../core/system.ts'
import { replaceFile } from '../../session/files.ts'
import { folders, homeFolder } from '../../session/paths.ts'

const TITLE = 'Fish Collection'
const LABEL = 'org.fish-crab.collection'
/** The list of programs that Windows starts when this user logs in. */
const RUN_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`
const MODES = { file: 0o644, folder: 0o700 }

/** The entry that starts a program when this user logs in to the computer. */
export interface Autostart {
  /** Lets an existing entry start this program, whose file may have moved. Returns whether there is an entry. */
  refresh(): Promise<boolean>
  /** @throws CliError `usage` on macOS if the program does not run from its own place */
  set(on: boolean): Promise<void>
}

/** The command line of the app without its page. */
function ownCommand(): readonly string[] {
  const script = isSea() ? [] : process.argv.slice(1, 2)
  return [process.execPath, ...script, 'app', '--background']
}

export function createAutostart(
  system: Pick<System, 'env'>,
  platform: NodeJS.Platform = process.platform,
  command: readonly string[] = ownCommand(),
): Autostart {
  const entry = platform === 'win32' ? inRegistry(command) : inFile(system, platform === 'darwin', command)
  const set = async (on: boolean) => {
    // macOS runs a download from a random folder until the player moves it.
    if (on && command[0]?.includes('/AppTranslocation/')) {
      throw usageError('Move Fish Collection to the folder Applications first.', 'Then quit it, and open it there.')
    }
    await entry.set(on)
  }
  return {
    set,
    async refresh() {
      const isOn = await entry.exists()
      if (isOn) await set(true).catch(() => {})
      return isOn
    },
  }
}

interface Entry {
  exists(): Promise<boolean>
  set(on: boolean): Promise<void>
}

function inFile(system: Pick<System, 'env'>, isMac: boolean, command: readonly string[]): Entry {
  const path = isMac
    ? join(homeFolder(system.env), 'Library', 'LaunchAgents', `${LABEL}.plist`)
    : join(dirname(folders(system).config), 'autostart', `${LABEL}.desktop`)
  return {
    exists: async () => existsSync(path),
    async set(on) {
      if (on) replaceFile(path, (isMac ? launchAgent : desktopEntry)(command), MODES)
      else rmSync(path, { force: true })
    },
  }
}

/** Quotes as in the Desktop Entry Specification 1.5, "The Exec key". Strings escape backslashes once more. */
export function desktopEntry(command: readonly string[]): string {
  const quoted = command.map((word) => `"${word.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`).join(' ')
  return [
    '[Desktop Entry]',
    'Type=Application',
    `Name=${TITLE}`,
    `Exec=${quoted.replaceAll('\\', '\\\\')}`,
    'Terminal=false',
    '',
  ].join('\n')
}

export function launchAgent(command: readonly string[]): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    `<key>Label</key><string>${LABEL}</string>`,
    `<key>ProgramArguments</key><array>${command.map((word) => `<string>${escaped(word)}</string>`).join('')}</array>`,
    '<key>RunAtLoad</key><true/>',
    '</dict></plist>',
    '',
  ].join('\n')
}

function inRegistry(command: readonly string[]): Entry {
  const reg = (verb: string, ...args: readonly string[]) =>
    promisify(execFile)('reg', [verb, RUN_KEY, '/v', TITLE, ...args], { windowsHide: true })
  const exists = () =>
    reg('query').then(
      () => true,
      () => false,
    )
  return {
    exists,
    async set(on) {
      const line = command.map((word) => `"${word}"`).join(' ')
      if (on) await reg('add', '/t', 'REG_SZ', '/d', line, '/f')
      else if (await exists()) await reg('delete', '/f')
    },
  }
}
