import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newFolder } from '../test/folders.ts'
import { openTerminal } from '../test/pseudo-terminal.ts'

const BUILT = fileURLToPath(new URL('../bin/run.js', import.meta.url))

/** The keys that make a shell print its current line. */
const SHOW_LINE = '\u0018q'

/** A home folder with two profiles, and with the built `fish-cli` in its `PATH`. */
export interface Home {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs `fish-cli`, and returns its stdout. */
  fish(...argv: readonly string[]): Promise<string>
}

/** Creates a home folder for one test. */
export function newHome(): Home {
  const folder = newFolder()
  const bin = join(folder, 'bin')
  mkdirSync(join(folder, '.config', 'fish-crab'), { recursive: true })
  mkdirSync(bin)
  symlinkSync(BUILT, join(bin, 'fish-cli'))
  const profiles = {
    home: { url: 'http://127.0.0.1:8787', user: 'Alex', gamemode: 'earth' },
    work: { url: 'https://fish.example.org', user: '*Mia' },
  }
  const config = { version: 1, current: 'home', profiles, settings: {} }
  writeFileSync(join(folder, '.config', 'fish-crab', 'config.json'), JSON.stringify(config))
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { HOME: folder, PATH: path, LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  const fish = async (...argv: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [BUILT, ...argv], { env })).stdout
  return { folder, env, fish }
}

/** The reason why the tests of a shell are skipped, for test titles. Empty if the shell is installed. */
export function missing(shell: string): string {
  return spawnSync(shell, ['--version']).status === 0 ? '' : ` (skipped: no ${shell} here)`
}

/** An interactive shell. */
export interface TypingShell {
  /** Types keys on an empty line, and returns the resulting line. */
  line(keys: string): Promise<string>
  /** Types keys on an empty line, waits until the output after the keys matches, and returns this output. */
  screen(keys: string, pattern: RegExp): Promise<string>
}

/**
 * Starts an interactive shell. Ctrl-X q prints the current line between `<<` and `>>`, and Ctrl-U clears the line.
 */
export async function typeInto(command: readonly string[], home: Home): Promise<TypingShell> {
  const terminal = openTerminal(command, { env: home.env, cwd: home.folder, columns: 200, rows: 60 })
  await terminal.until(/ready> /)
  return {
    async line(keys) {
      const from = terminal.text().length
      terminal.type(`${keys}${SHOW_LINE}`)
      const [, line = ''] = await terminal.until(/<<(.*?)>>/s, from)
      terminal.type('\u0015')
      return line
    },
    async screen(keys, pattern) {
      const from = terminal.text().length
      terminal.type(keys)
      await terminal.until(pattern, from)
      terminal.type('\u0015')
      return terminal.text().slice(from)
    },
  }
}

/** Typed keys and the resulting lines, in a home folder of {@link homeWithFiles}. */
export const COMPLETED: Readonly<Record<string, string>> = {
  'fish-cli lis\t': 'fish-cli list ',
  'fish-cli prof\t': 'fish-cli profile ',
  'fish-cli profile w\t': 'fish-cli profile work ',
  'fish-cli list --gam\t': 'fish-cli list --gamemode ',
  'fish-cli list --gamemode ea\t': 'fish-cli list --gamemode earth ',
  'fish-cli list --gamemode=ea\t': 'fish-cli list --gamemode=earth ',
  'fish-cli list -g ea\t': 'fish-cli list -g earth ',
  'fish-cli list --profile=w\t': 'fish-cli list --profile=work ',
  'fish-cli list --url http://127.0.0.1:1 --profile w\t': 'fish-cli list --url http://127.0.0.1:1 --profile work ',
  'fish-cli list fish \\*\t': 'fish-cli list fish \\*Mia ',
  'fish-cli add "Köi ▶" --rarity go\t': 'fish-cli add "Köi ▶" --rarity gold ',
  'fish-cli add --file catc\t': 'fish-cli add --file catches\\ 1.csv ',
  'fish-cli add --file=catc\t': 'fish-cli add --file=catches\\ 1.csv ',
  'fish-cli restore ca\t': 'fish-cli restore cat\\ logs/',
  'fish-cli status xyz\t': 'fish-cli status xyz',
  'true; FISH_KEY=canary fish-cli lis\t': 'true; FISH_KEY=canary fish-cli list ',
  'fish-cli completion z\t': 'fish-cli completion zsh ',
}

/** Creates a home folder with files and folders to complete. One folder has the name of a command. */
export function homeWithFiles(): Home {
  const home = newHome()
  mkdirSync(join(home.folder, 'list'))
  mkdirSync(join(home.folder, 'cat logs'))
  writeFileSync(join(home.folder, 'catches 1.csv'), '')
  return home
}

/** Types each sequence of keys, and returns the resulting lines. */
export async function completed(shell: TypingShell, keys: readonly string[]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const each of keys) seen[each] = await shell.line(each)
  return seen
}
