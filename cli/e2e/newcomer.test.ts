import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installPrograms } from '../../scripts/test-support/packed.ts'
import { openTerminal, type PseudoTerminal, SKIPPED } from '../test/pseudo-terminal.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const READY = '<ready>'

/**
 * These settings differ from the settings of a newcomer. The test types the commands of the README word for word.
 * Instead of installing the packages from a registry, the test unpacks local packages.
 */
const SUBSTITUTED = {
  /** The service uses any free port, and commands get the address of the service. */
  serving: { FISH_PORT: '0' },
  commands: (url: string) => ({ FISH_URL: url }),
  /**
   * A separate home folder, no access to the keyring of the user who runs the test, and a shell prompt that the test
   * can wait for.
   */
  home: (folder: string) => ({ HOME: folder, FISH_SECRET_STORE: 'file', PS1: READY, ENV: '' }),
  /** Prevents the spinner of npx. */
  npx: { npm_config_progress: 'false' },
  path: (programs: string) => ({ PATH: [programs, process.env.PATH].join(delimiter) }),
}

/** The fenced blocks under a heading of a README, in order. */
function blocksUnder(file: string, heading: string): readonly string[] {
  const text = readFileSync(join(PROJECT, file), 'utf8')
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no "${heading}".`)
  return Array.from(section.matchAll(/^```\w*\n(.*?)^```$/gms), ([, block = '']) => block)
}

/** A shell in a terminal. */
class Shell {
  readonly terminal: PseudoTerminal
  #from = 0

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.terminal = openTerminal(['/bin/sh', '-i'], { cwd, env, columns: 120 })
  }

  /** Waits for matching output. The next call searches only the output after the match. */
  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    const found = await this.terminal.until(pattern, this.#from)
    this.#from += found.index + found[0].length
    return found
  }

  /** Types a line at the prompt of the shell. */
  async types(line: string): Promise<void> {
    await this.sees(/<ready>/)
    this.terminal.type(`${line}\n`)
    // The terminal echoes the line, and may wrap it.
    await this.sees(/\r\n/)
  }

  /** Types a line, and returns its output once the shell is ready again. */
  async runs(line: string): Promise<string> {
    await this.types(line)
    return this.prints()
  }

  async prints(): Promise<string> {
    const { input, index } = await this.terminal.until(/<ready>/, this.#from)
    const text = input.slice(0, index)
    this.#from += index
    return stripVTControlCharacters(text).replaceAll('\r\n', '\n')
  }
}

let root: string

beforeAll(async () => {
  // Outside the project, Node cannot find the packages of the project.
  root = mkdtempSync(join(tmpdir(), 'fish-newcomer-'))
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe.skipIf(SKIPPED !== '')(`a newcomer who follows the README${SKIPPED}`, () => {
  test('starts a service, creates a player, adds and lists catches, and watches a log', async () => {
    await installPrograms(join(root, 'installed'))
    const home = join(root, 'home')
    const log = join(home, '.minecraft', 'logs', 'latest.log')
    mkdirSync(join(home, '.minecraft', 'logs'), { recursive: true })
    const env = { ...SUBSTITUTED.home(home), ...SUBSTITUTED.path(join(root, 'installed', 'bin')) }
    const [serving = '', commands = '', listed = '', watching = ''] = blocksUnder('cli/README.md', 'First steps')
    expect(serving.trim().split('\n')).toHaveLength(1)
    expect(watching.trim().split('\n')).toHaveLength(1)

    const service = new Shell(home, { ...env, ...SUBSTITUTED.serving })
    await service.types(serving.trim())
    const [, adminPassword = ''] = await service.sees(/administrator "admin" with the password (\S+)/)
    const [, url = ''] = await service.sees(/listening on (http:\S+)/)

    const player = new Shell(home, { ...env, ...SUBSTITUTED.commands(url) })
    const lines = commands.trim().split('\n')
    // The test lists every command, so that a new command in the README also needs a line here.
    const steps: Record<string, () => Promise<void>> = {
      'fish-cli user create Alex --login-file alex.json --gamemode earth': async () => {
        await player.sees(/Password of the administrator admin: /)
        player.terminal.type(`${adminPassword}\n`)
        expect(await player.prints()).toContain('Created Alex. The password and the keys are in alex.json.')
        expect(statSync(join(home, 'alex.json')).mode & 0o777).toBe(0o600)
        secrets = JSON.parse(readFileSync(join(home, 'alex.json'), 'utf8'))
      },
      'fish-cli login --from alex.json': async () => {
        await player.sees(/Delete alex\.json\? \[y\/N\] /)
        player.terminal.type('y\n')
        expect(await player.prints()).toContain('Deleted alex.json.')
      },
      'fish-cli add Salmon --rarity gold': async () => {
        expect(await player.prints()).toBe('Salmon · Gold → Alex, earth\n')
      },
      'fish-cli add "Bronze Koi" Cod --rarity bronze': async () => {
        expect(await player.prints()).toBe('Bronze Koi, Cod · Bronze → Alex, earth\n')
      },
      'fish-cli add --crab': async () => {
        expect(await player.prints()).toBe('A crab → Alex, earth\n')
      },
      'fish-cli list': async () => {
        expect(await player.prints()).toBe(listed)
      },
      'fish-cli open                                # shows your collection in a browser': async () => {
        expect(await player.prints()).toContain(`${url}/@Alex?gamemode=earth\n`)
      },
    }
    let secrets = { password: '', fernetKey: '', apiKey: '' }
    expect(lines).toEqual(Object.keys(steps))
    for (const line of lines) {
      await player.types(line)
      await steps[line]?.()
    }

    // The log shows that the game is running.
    writeFileSync(log, '[11:00:00] [Render thread/INFO]: Setting user: Alex\n')
    await player.types(watching.trim())
    await player.sees(/Watching a log for Alex[\s\S]*latest\.log/)
    // watch skips earlier catches, so the line has to be written after the start.
    const seen = player.sees(/Bronze Koi/)
    const catching = setInterval(
      () => appendFileSync(log, '[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Bronze Koi.\n'),
      500,
    )
    await seen
    clearInterval(catching)
    player.terminal.type('\u0003')
    await player.prints()
    expect(await player.runs('echo "ended $?"')).toBe('ended 130\n')
    expect(await player.runs('fish-cli outbox --send')).toMatch(/(^| )0 waiting\.\n$/)
    const names = (await player.runs('fish-cli list')).split('\n').map((line) => line.split('  ')[0])
    expect(names.slice(0, 5)).toEqual(['FISH', 'Salmon', 'Bronze Koi', 'Cod', 'Bronze Koi'])

    service.terminal.type('\u0003')
    await service.prints()
    expect(await service.runs('echo "ended $?"')).toBe('ended 0\n')

    // No screen shows the passwords that were typed or the secrets in the login file.
    for (const secret of [adminPassword, secrets.password, secrets.fernetKey, secrets.apiKey]) {
      expect(secret).not.toBe('')
      expect(player.terminal.text()).not.toContain(secret)
    }
  })

  test('runs the quick start, and then the commands that the quick start prints', async () => {
    const [start = ''] = blocksUnder('README.md', 'Try it')
    expect(start.trim()).toBe('npm run quickstart')
    const content = (file: string) => readFileSync(join(PROJECT, file), 'utf8')
    expect(content('package.json')).toContain('"quickstart": "node scripts/quickstart.mjs"')
    expect(content('scripts/quickstart.mjs')).toContain("'scripts', 'tour.ts'")

    const clone = join(root, 'clone')
    cpSync(join(PROJECT, 'scripts'), join(clone, 'scripts'), { recursive: true })
    for (const name of ['node_modules', 'tsconfig.json', 'sdk', 'server', 'mocks', 'cli']) {
      symlinkSync(join(PROJECT, name), join(clone, name))
    }
    const env = {
      ...SUBSTITUTED.home(join(root, 'tourist')),
      ...SUBSTITUTED.npx,
      ...SUBSTITUTED.path(join(PROJECT, 'node_modules', '.bin')),
    }

    // The packages are already installed when the test runs, so the test runs only the tour.
    const first = new Shell(clone, { ...env, ...SUBSTITUTED.serving })
    await first.types('node scripts/tour.ts')
    const [shown] = await first.sees(/[\s\S]*Serving\. Ctrl-C stops\./)
    const text = stripVTControlCharacters(shown).replaceAll('\r\n', '\n')
    expect(text).toContain('Encrypted a fish and stored it: Fish saved for user Alex.\n')
    expect(text).toMatch(/\$ fish-cli list fish Alex --gamemode earth\nFISH +RARITY\nSalmon +Gold\n/)

    const second = new Shell(clone, env)
    const printed = Array.from(text.matchAll(/^ {2}(\S.*)$/gm), ([, line = '']) => line)
    const answers: readonly (readonly [RegExp, RegExp])[] = [
      [/^export FISH_URL=/, /^$/],
      [/^npx fish-cli add "Bronze Koi" --rarity bronze$/, /^Bronze Koi · Bronze → Alex, earth\n$/],
      [/^npx fish-cli add --crab$/, /^A crab → Alex, earth\n$/],
      [/^npx fish-cli list fish$/, /^FISH +RARITY\nSalmon +Gold\nBronze Koi +Bronze\n$/],
      [/^curl "http/, /"Bronze Koi"/],
    ]
    expect(printed).toEqual(answers.map(([command]) => expect.stringMatching(command)))
    for (const [index, line] of printed.entries())
      expect(await second.runs(line)).toMatch(answers[index]?.[1] ?? /never/)

    first.terminal.type('\u0003')
    await first.prints()
    expect(await first.runs('echo "ended $?"')).toBe('ended 0\n')
    expect(existsSync(join(clone, 'data', 'fish.db'))).toBe(true)
  })
})
