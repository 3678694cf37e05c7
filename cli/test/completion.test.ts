import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SHELLS, type Shell } from '../src/commands/account/shells.ts'
import { globalFlags } from '../src/kit/define.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { complete, completionReply, readLocalNames } from '../src/program/completion.ts'
import { describeCommands } from '../src/program/completion-data.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const data = await describeCommands(COMMANDS)
const own = () => ({
  profiles: [{ value: 'home', description: 'http://127.0.0.1:8787' }, { value: 'work' }],
  users: [{ value: 'Alex' }, { value: '*Mia' }],
  gamemodes: ['oneblock', 'earth', 'survival', 'factions'].map((value) => ({ value })),
})

/** The candidates for the last word of a line. */
function offered(line: string): readonly string[] {
  return complete(line.split(' '), data, own).candidates.map(({ value }) => value)
}

describe('the completion data', () => {
  test('contains every command and every flag, each with its summary from help', async () => {
    for (const [id, { flags }] of Object.entries(await COMMANDS.load())) {
      const words = id.split(':')
      expect(offered([...words.slice(0, -1), ''].join(' ')), id).toContain(words.at(-1))
      const shown = Object.entries({ ...flags, ...globalFlags }).filter(([, { hidden }]) => !hidden)
      const names = shown.map(([name]) => `--${name}`)
      expect(offered(`${words.join(' ')} --`).toSorted(), id).toEqual([...names, '--help'].toSorted())
      const { candidates } = complete([...words.slice(0, -1), ''], data, own)
      expect(candidates.find(({ value }) => value === words.at(-1))?.description, id).toMatch(/./)
    }
    expect(offered('').toSorted()).toEqual(
      [
        ...new Set([
          ...COMMANDS.ids.map((id) => id.replace(/:.*/, '')),
          ...Object.keys(COMMANDS.topics),
          'help',
          'version',
        ]),
      ].toSorted(),
    )
  })

  test('contains only flags and arguments that the command accepts', async () => {
    for (const [id, { args, flags, completion }] of Object.entries(await COMMANDS.load())) {
      expect(Object.keys({ ...args, ...flags }), id).toEqual(expect.arrayContaining(Object.keys(completion)))
    }
  })
})

describe('completion', () => {
  test('completes commands that consist of one or two words', () => {
    expect(offered('user ')).toEqual(['create', 'delete', 'list', 'reset', 'show'])
    expect(offered('help user ')).toEqual(['create', 'delete', 'list', 'reset', 'show'])
    expect(offered('help ')).toEqual(expect.arrayContaining(['list', 'profile', 'exit-codes']))
    expect(offered('-')).toEqual(['--help', '--version'])
    expect(offered('user -')).toEqual(['--help'])
    expect(offered('help list ')).toEqual([])
    expect(offered('whales ')).toEqual([])
    expect(offered('whales in ')).toEqual([])
    expect(offered('constructor ')).toEqual([])
  })

  test('does not offer internal commands', () => {
    expect(JSON.stringify(data)).not.toContain('__complete')
  })

  test('offers the values of a flag after a space or an equals sign, and after a short flag', () => {
    const gamemodes = ['oneblock', 'earth', 'survival', 'factions']
    expect(offered('list --gamemode ')).toEqual(gamemodes)
    expect(offered('list -g ')).toEqual(gamemodes)
    expect(offered('list --gamemode=')).toEqual(gamemodes.map((each) => `--gamemode=${each}`))
    expect(offered('leaderboard -g ')).toEqual(gamemodes)
    expect(offered('add Cod --rarity ')).toEqual(
      'unknown/other bronze silver gold diamond platinum mythical'.split(' '),
    )
    expect(offered('conformance --only ')).toEqual(expect.arrayContaining(['writes', 'limit-is-exact']))
    expect(offered('admin create mia --role ')).toEqual(['admin', 'superadmin'])
    expect(offered('user reset Alex --type ')).toEqual(['password', 'fernet', 'api-key'])
    expect(offered('serve --log ')).toEqual(['pretty', 'json', 'silent'])
  })

  test('offers values that look like flags only after an equals sign', () => {
    expect(offered('list --sort ')).toEqual(['name', 'rarity', 'caughtAt'])
    expect(offered('list --sort=-')).toContain('--sort=-caughtAt')
  })

  test('offers arguments by position, and flags after the last argument', () => {
    expect(offered('list ')).toEqual(['fish', 'crabs', 'Alex', '*Mia'])
    expect(offered('list crabs ')).toEqual(['Alex', '*Mia'])
    expect(offered('list -g earth crabs ')).toEqual(['Alex', '*Mia'])
    expect(offered('list crabs Alex ')).toContain('--gamemode')
    expect(offered('config ')).toEqual(['encoding', 'gamemode', 'max-wait', 'notify', 'secret-store'])
    expect(offered('config max-wait ')).toEqual([])
    expect(offered('completion ')).toEqual(SHELLS)
    expect(offered('add Cod ')).toEqual([])
  })

  test('offers the configured profiles and players where the command expects them', () => {
    for (const line of ['profile ', 'profile --remove ', 'list --profile ', 'whoami --profile ']) {
      expect(offered(line), line).toEqual(['home', 'work'])
    }
    expect(offered('list --profile=')).toEqual(['--profile=home', '--profile=work'])
    expect(offered('user show ')).toEqual(['Alex', '*Mia'])
    expect(offered('user create ')).toEqual([])
    expect(offered('add --user ')).toEqual(['Alex', '*Mia'])
  })

  test('lets the shell complete paths', () => {
    expect(complete(['add', '--file', 'c'], data, own)).toMatchObject({ paths: 'files' })
    expect(complete(['add', '--file=c'], data, own)).toMatchObject({ paths: 'files' })
    expect(complete(['migrate', ''], data, own)).toMatchObject({ paths: 'files' })
    expect(complete(['watch', ''], data, own)).toMatchObject({ paths: 'files' })
    expect(complete(['restore', ''], data, own)).toMatchObject({ paths: 'folders' })
  })

  test('never fails, for any input', () => {
    const word = fc.oneof(
      fc.constantFrom(...Object.keys(data).flatMap((id) => id.split(':')), '--', '-', '-g', '--gamemode='),
      fc.constantFrom('--since', '-dg', '--user', 'help', '__proto__', '--constructor='),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), fc.constantFrom(...SHELLS), (words, shell) => {
        const typed = { FISH_CLI_LINE: `fish-cli ${words.join(' ')}` }
        expect(completionReply(shell, typed, data, own)).toMatch(/^(words|files|folders)\n/)
      }),
    )
  })

  test('reads the configuration only if the candidates come from it', () => {
    const never = () => {
      throw new Error('The configuration was read.')
    }
    expect(complete(['list', '--sort', ''], data, never).candidates).toHaveLength(3)
    expect(complete([''], data, never).candidates.length).toBeGreaterThan(20)
  })
})

describe('a completion reply', () => {
  const reply = (shell: Shell, line: string) => completionReply(shell, { FISH_CLI_LINE: line }, data, own)

  test('completes the last word of a line, even inside or after quotes', () => {
    expect(reply('bash', String.raw`fish-cli add "Bronze Koi" a\ b 'c d' --rarity go`)).toBe('words\ngold\n')
    expect(reply('bash', 'fish-cli list --gamemode=E')).toBe('words\n--gamemode=earth\n')
    expect(reply('bash', String.raw`fish-cli list fish \*`)).toBe('words\n*Mia\n')
    expect(reply('bash', "fish-cli list fish 'A")).toBe('words\nAlex\n')
    expect(reply('bash', 'fish-cli add --user="Al')).toBe('words\n--user=Alex\n')
    expect(reply('bash', 'fish-cli add --file=a')).toBe('files\n')
  })

  test('contains descriptions for the shells that show them', () => {
    expect(reply('bash', 'fish-cli profile ')).toBe('words\nhome\nwork\n')
    expect(reply('zsh', 'fish-cli profile ')).toBe('words\nhome\thttp://127.0.0.1:8787\nwork\n')
    expect(reply('fish', 'fish-cli profile ')).toBe('words\nhome\thttp://127.0.0.1:8787\nwork\n')
    expect(reply('powershell', 'fish-cli profile H')).toBe('words\nhome\thttp://127.0.0.1:8787\n')
  })

  test('contains the commands if no line is given', () => {
    expect(completionReply('zsh', {}, data, own)).toContain('words\n')
    expect(completionReply('bash', {}, data, own)).toContain('words\n')
  })
})

describe('the local names', () => {
  function namesFrom(text: string | undefined) {
    const folder = newFolder()
    mkdirSync(join(folder, 'fish-crab'))
    if (text !== undefined) writeFileSync(join(folder, 'fish-crab', 'config.json'), text)
    return readLocalNames({ XDG_CONFIG_HOME: folder })
  }

  test('contain each configured profile once, and each player of these profiles once', () => {
    const profiles = {
      a: { url: 'http://a', user: 'Alex' },
      b: { url: 'http://b', user: 'Alex' },
      c: { url: 'http://c', user: '$(id)' },
    }
    const names = namesFrom(JSON.stringify({ version: 1, profiles }))
    expect(names.profiles).toEqual(Object.entries(profiles).map(([value, { url }]) => ({ value, description: url })))
    expect(names.users).toEqual([{ value: 'Alex' }])
  })

  test('contain only the usual gamemodes if there is no configuration', () => {
    expect(namesFrom(undefined)).toEqual({
      profiles: [],
      users: [],
      gamemodes: GAMEMODES.map((value) => ({ value })),
    })
  })

  test.each(['', '{', 'null', '[]', '{"profiles":7}', '{"version":1,"profiles":{"$(id)":{"url":"http://a"}}}'])(
    'cannot be read from a broken configuration: %s',
    (text) => expect(() => namesFrom(text)).toThrow('cannot be used'),
  )
})

describe('fish-cli completion', () => {
  test('prints a short script for each shell', async () => {
    for (const shell of SHELLS) {
      const { status, stdout, stderr } = await run(['completion', shell])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toContain(`fish-cli __complete ${shell}`)
      expect(stdout.length, shell).toBeLessThan(2000)
    }
    expect((await run(['completion'], { env: { SHELL: '/usr/bin/zsh' } })).stdout).toMatch(/^#compdef fish-cli\n/)
    expect((await run(['completion', 'pwsh'])).stdout).toContain('Register-ArgumentCompleter -Native')
    expect(JSON.parse((await run(['completion', 'fish', '--json'])).stdout)).toMatchObject({ shell: 'fish' })
  })

  describe('the PowerShell script', async () => {
    const script = (await run(['completion', 'powershell'])).stdout

    test('uses only declared variables, and only known cmdlets, parameters and types', () => {
      const code = script.replace(/^#.*$/gm, '').replace(/'[^']*'/g, "''")
      const names = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, name = '']) => name))]
      const [, params = ''] = /param\(([^)]*)\)/.exec(code) ?? []
      const declared = [...params.matchAll(/\$(\w+)/g), ...code.matchAll(/\$(\w+)(?:, \$\w+)* = /g)]
      const second = [...code.matchAll(/\$\w+, \$(\w+) = /g)]
      // PowerShell sets $_ (the object in the pipeline), $null and $env.
      const known = [...declared, ...second].map(([, name]) => name).concat('_', 'null', 'env')
      expect(names(/\$(\w+)/g).filter((name) => !known.includes(name))).toEqual([])
      // PowerShell passes these parameters to a native completer by position.
      expect(params).toBe('$wordToComplete, $commandAst, $cursorPosition')
      expect(names(/\b([A-Z]\w+-[A-Z]\w+)\b/g).toSorted()).toEqual(
        ['ForEach-Object', 'Register-ArgumentCompleter', 'Remove-Item', 'Select-Object'].toSorted(),
      )
      expect(names(/(?<=[\s(])-([A-Za-z]+)/g).toSorted()).toEqual(
        'CommandName ErrorAction Native ScriptBlock Skip not split'.split(' ').toSorted(),
      )
      expect(names(/\$\w+\.([\w.]+)/g)).toEqual(['Extent.StartOffset'])
      expect(names(/\[([A-Za-z.]+)\]/g).toSorted()).toEqual(['System.Management.Automation.CompletionResult'])
      expect(script).toContain("'ParameterValue', $description)")
    })

    test('closes every bracket that it opens', () => {
      const open: string[] = []
      const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
      for (const bracket of script.replace(/^#.*$/gm, '').match(/[()[\]{}]/g) ?? []) {
        if (bracket in pairs) expect(open.pop()).toBe(pairs[bracket])
        else open.push(bracket)
      }
      expect(open).toEqual([])
    })

    test('passes the typed line in an environment variable, removes the variable, and splits the reply', () => {
      const [, variable = ''] = /\$env:(\w+) = "\$commandAst"\.PadRight\(/.exec(script) ?? []
      expect(script).toContain(`finally {\n    Remove-Item Env:${variable} -ErrorAction`)
      const [, argv = '', skipped = ''] =
        /@\(fish-cli (.*) 2>\$null\) \| Select-Object -Skip (\d) \|/.exec(script) ?? []
      expect(argv.split(' ')).toEqual(['__complete', 'powershell'])
      expect(script).toContain('$value, $description = $_ -split "`t", 2')
      /** Repeats the steps of the script for a line, with the variable and the offset found in the script. */
      const results = (line: string) =>
        completionReply('powershell', { [variable]: line }, data, own)
          .trimEnd()
          .split('\n')
          .slice(Number(skipped))
          .map((each) => each.split(/\t(.*)/s, 2))
      for (const id of COMMANDS.ids) {
        const expected = data[id]?.flags.map(({ name, summary }) => [`--${name}`, summary])
        expect(results(`fish-cli ${id.replace(':', ' ')} --`), id).toEqual(expected)
      }
      expect(results('fish-cli profile ')).toEqual([['home', 'http://127.0.0.1:8787'], ['work']])
    })
  })

  test('lists the supported shells if the shell is unsupported or missing', async () => {
    const hint = '  Choose a shell from bash, zsh, fish, powershell. For example: fish-cli completion bash\n'
    const other = await run(['completion', 'tcsh'])
    expect(other).toEqual({
      status: 2,
      stdout: '',
      stderr: `fish-cli: Unsupported shell.\n${hint}`,
    })
    const none = await run(['completion'])
    expect(none).toMatchObject({ status: 2, stdout: '' })
    expect(none.stderr).toContain(hint)
  })

  test('--install writes a script with mode 644, prints the next step, and can be repeated', async () => {
    const HOME = newFolder()
    for (const shell of SHELLS) {
      const install = () => run(['completion', shell, '--install', '--json'], { env: { HOME } })
      const first = await install()
      const planned = JSON.parse(first.stdout) as { path: string; next: string | null }
      expect(planned).toMatchObject({ shell })
      expect(await install()).toEqual(first)
      expect(readFileSync(planned.path, 'utf8')).toBe((await run(['completion', shell])).stdout)
      expect(statSync(planned.path).mode & 0o777).toBe(0o644)
      expect(planned.next?.includes(planned.path) ?? shell === 'fish').toBe(true)
    }
  })

  test('--install fails if a file exists where a folder is needed, or a folder where a file is needed', async () => {
    const HOME = newFolder()
    const place = join(HOME, '.config', 'fish', 'completions', 'fish-cli.fish')
    const install = () => run(['completion', 'fish', '--install', '--json'], { env: { HOME } })
    for (const [code, damage] of [
      ['file_not_written', () => writeFileSync(join(HOME, '.config'), '')],
      ['file_not_written', () => mkdirSync(place, { recursive: true })],
      ['file_not_written', () => mkdirSync(`${place}.new`, { recursive: true })],
    ] as const) {
      damage()
      expect(JSON.parse((await install()).stdout).error.code).toBe(code)
      rmSync(join(HOME, '.config'), { recursive: true })
    }
  })
})
