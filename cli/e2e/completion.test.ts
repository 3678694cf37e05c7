import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newFolder, writeProfiles } from '../test/folders.ts'
import { openTerminal, PROGRAM } from '../test/pseudo-terminal.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const PARTS = ['package.json', 'bin', 'dist/fast-path.cjs', 'dist/completion.cjs', 'dist/completion.json']

/** The keys that make a shell print its current line between `<<` and `>>`, and that clear the line. */
const [SHOW_LINE, CLEAR_LINE] = ['\u0018q', '\u0015']

/** `startFile` is the file below the home folder that the shell reads at its start. */
const SHELLS = {
  bash: {
    command: ['bash', '--noprofile', '-i'],
    startFile: '.bashrc',
    settings: `
PS1='ready> '
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind -x '"\\C-xq": printf "<<%s>>" "$READLINE_LINE"'
`,
    noPrograms: 'PATH=/nowhere',
  },
  zsh: {
    command: ['zsh', '-o', 'no_global_rcs', '-i'],
    startFile: '.zshrc',
    settings: `
autoload -Uz compinit && compinit -u -d $HOME/.zcompdump
PS1='ready> '
unsetopt beep prompt_sp
unset zle_bracketed_paste
bindkey -e
show-line() { print -nr -- "<<$BUFFER>>" }
zle -N show-line
bindkey '^Xq' show-line
`,
    noPrograms: 'path=(/nowhere)',
  },
  fish: {
    command: ['fish', '-i'],
    startFile: 'config/fish/config.fish',
    settings: `
function fish_prompt; echo -n 'ready> '; end
function fish_greeting; end
set -g fish_autosuggestion_enabled 0
bind \\cxq 'printf "<<%s>>" (commandline)'
bind \\cu 'commandline -r ""'
`,
    noPrograms: 'set PATH /nowhere',
  },
}

type Shell = (typeof SHELLS)[keyof typeof SHELLS]

/** Typed keys and the resulting lines. The line with a wrong word stays as it is. */
const COMPLETED: Readonly<Record<string, string>> = {
  'fish-cli lis\t': 'fish-cli list ',
  'fish-cli list --gam\t': 'fish-cli list --gamemode ',
  'fish-cli list --gamemode ea\t': 'fish-cli list --gamemode earth ',
  'fish-cli list --gamemode=ea\t': 'fish-cli list --gamemode=earth ',
  'true; FISH_KEY=canary fish-cli list -g ea\t': 'true; FISH_KEY=canary fish-cli list -g earth ',
  'fish-cli add "Köi ▶" --rarity go\t': 'fish-cli add "Köi ▶" --rarity gold ',
  'fish-cli list --profile w\t': 'fish-cli list --profile work ',
  'fish-cli list fish \\*M\t': 'fish-cli list fish \\*Mia ',
  'fish-cli add --file catc\t': 'fish-cli add --file catches\\ 1.csv ',
  'fish-cli add --file=catc\t': 'fish-cli add --file=catches\\ 1.csv ',
  'fish-cli restore ca\t': 'fish-cli restore cat\\ logs/',
  'fish-cli status xyz\t': 'fish-cli status xyz',
}

/** A home folder with two profiles, with paths to complete, and with the built `fish-cli` in its `PATH`. */
async function newHome() {
  const home = newFolder()
  const bin = join(home, 'bin')
  for (const name of ['bin', 'list', 'cat logs']) mkdirSync(join(home, name))
  writeFileSync(join(home, 'catches 1.csv'), '')
  symlinkSync(PROGRAM[1], join(bin, 'fish-cli'))
  await writeProfiles(home, {
    home: { url: 'http://127.0.0.1:8787', user: 'Alex', gamemode: 'earth' },
    work: { url: 'https://fish.example.org', user: '*Mia' },
  })
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { HOME: home, PATH, XDG_CONFIG_HOME: join(home, 'config'), LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  return { home, env }
}

/** Installs the script as `--install` tells the user, and starts the shell. */
async function openShell(name: string, { command, startFile, settings }: Shell) {
  const { home, env } = await newHome()
  const file = join(home, startFile)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, settings)
  const installed = execFileSync(PROGRAM[0], [PROGRAM[1], 'completion', name, '--install', '--json'], {
    env,
    encoding: 'utf8',
  })
  const { next } = JSON.parse(installed) as { readonly next: string | null }
  if (next !== null) execFileSync('sh', ['-c', next], { env })
  const terminal = openTerminal(command, { env, cwd: home, columns: 200, rows: 60 })
  await terminal.until(/ready> /)
  return {
    home,
    terminal,
    /** Types keys on an empty line, and returns the resulting line. */
    async line(keys: string): Promise<string> {
      const from = terminal.text().length
      terminal.type(`${keys}${SHOW_LINE}`)
      const [, line = ''] = await terminal.until(/<<(.*?)>>/s, from)
      terminal.type(CLEAR_LINE)
      return line
    },
  }
}

const isMissing = (name: string) => spawnSync(name, ['--version']).status !== 0

describe.each(Object.entries(SHELLS))('%s', (name, shell) => {
  test.skipIf(isMissing(name))(
    'completes commands, flags, values, profiles, players and paths after a real TAB',
    async () => {
      const { line } = await openShell(name, shell)
      const lines: Record<string, string> = {}
      for (const keys of Object.keys(COMPLETED)) lines[keys] = await line(keys)
      expect(lines).toEqual(COMPLETED)
    },
  )

  test.skipIf(isMissing(name))(
    'prints nothing after TAB if the configuration is invalid or fish-cli is missing',
    async () => {
      const { home, line } = await openShell(name, shell)
      writeFileSync(join(home, 'config', 'fish-crab', 'config.json'), '{ not JSON')
      expect(await line('fish-cli profile w\t')).toBe('fish-cli profile w')
      expect(await line(`${shell.noPrograms}\rfish-cli lis\t`)).toBe('fish-cli lis')
    },
  )
})

test('bash completes values and paths without compopt, which bash 3.2 lacks', async () => {
  const { line } = await openShell('bash', { ...SHELLS.bash, settings: `enable -n compopt${SHELLS.bash.settings}` })
  expect(await line('fish-cli list --gamemode=ea\t')).toBe('fish-cli list --gamemode=earth ')
  expect(await line('fish-cli add --file catc\t')).toBe('fish-cli add --file catches\\ 1.csv ')
})

test.skipIf(isMissing('zsh'))('zsh reports at its start that completion needs compinit', async () => {
  const { terminal } = await openShell('zsh', { ...SHELLS.zsh, settings: "PS1='ready> '\n" })
  expect(terminal.text()).toContain('~/.zshrc must have: autoload -Uz compinit && compinit')
})

describe('the built program during completion', () => {
  function reply(program: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '__complete', ...argv], {
      env,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const nothing = { status: 0, stdout: '', stderr: '' }

  test('needs only the completion files, and prints nothing if these files are invalid or missing', async () => {
    const folder = newFolder()
    for (const part of PARTS) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
    const program = join(folder, 'bin', 'run.js')
    const env = { ...(await newHome()).env, FISH_CLI_LINE: 'fish-cli profile w' }
    expect(reply(program, ['powershell'], env)).toEqual({
      ...nothing,
      stdout: 'words\nwork\thttps://fish.example.org\n',
    })
    writeFileSync(join(folder, 'dist', 'completion.json'), '{ not JSON')
    expect(reply(program, ['zsh'], env)).toEqual(nothing)
    rmSync(join(folder, 'dist', 'completion.json'))
    expect(reply(program, ['zsh'], env)).toEqual(nothing)
  })

  test('prints nothing for an unknown shell, and no secrets for a supported shell', async () => {
    const { env } = await newHome()
    for (const argv of [[], ['tcsh'], ['--help'], ['__proto__']]) {
      expect(reply(PROGRAM[1], argv, env)).toEqual(nothing)
    }
    const secrets = { FISH_KEY: 'canary', FISH_PASSWORD: 'canary', FISH_CLI_LINE: 'FISH_API_KEY=canary fish-cli ' }
    const { status, stdout } = reply(PROGRAM[1], ['bash'], { ...env, ...secrets })
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('canary')])
  })
})
