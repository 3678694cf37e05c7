import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SHELLS } from '../src/commands/account/shells.ts'
import { globalFlags } from '../src/kit/define.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { complete, completionReply, readLocalNames } from '../src/program/completion.ts'
import { describeCommands } from '../src/program/completion-data.ts'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

const data = await describeCommands(COMMANDS)
const own = () => ({
  profiles: [{ value: 'home', description: 'http://127.0.0.1:8787' }, { value: 'work' }],
  users: [{ value: 'Alex' }, { value: '*Mia' }],
  gamemodes: ['earth', 'survival'].map((value) => ({ value })),
})

/** The candidates for the last word of a line. */
const offered = (line: string) => complete(line.split(' '), data, own).candidates.map(({ value }) => value)

test('completion offers every command and every flag, each with its summary from help, and no internal command', async () => {
  for (const [id, { args, flags, completion }] of Object.entries(await COMMANDS.load())) {
    const words = id.split(':')
    const { candidates } = complete([...words.slice(0, -1), ''], data, own)
    expect(candidates.find(({ value }) => value === words.at(-1))?.description, id).toMatch(/./)
    const visible = Object.entries({ ...flags, ...globalFlags }).filter(([, { hidden }]) => !hidden)
    const names = visible.map(([name]) => `--${name}`)
    expect(offered(`${words.join(' ')} --`).toSorted(), id).toEqual([...names, '--help'].toSorted())
    expect(Object.keys({ ...args, ...flags }), id).toEqual(expect.arrayContaining(Object.keys(completion)))
  }
  const topics = [...COMMANDS.ids.map((id) => id.replace(/:.*/, '')), ...Object.keys(COMMANDS.topics)]
  expect(offered('').toSorted()).toEqual([...new Set([...topics, 'help', 'version'])].toSorted())
})

test.each([
  ['user ', 'create delete list login-link rename reset show suspend unsuspend'],
  ['help user ', 'create delete list login-link rename reset show suspend unsuspend'],
  ['-', '--help --version'],
  ['constructor ', ''],
  ['whales in ', ''],
  ['list --gamemode ', 'earth survival'],
  ['list -g ', 'earth survival'],
  ['list --gamemode=', '--gamemode=earth --gamemode=survival'],
  ['add Cod --rarity ', 'unknown/other bronze silver gold diamond platinum mythical'],
  // After a space, a value that begins with "-" would be read as a flag.
  ['list --sort ', 'name rarity caughtAt'],
  ['list --sort=', '--sort=name --sort=-name --sort=rarity --sort=-rarity --sort=caughtAt --sort=-caughtAt'],
  ['list ', 'fish crabs Alex *Mia'],
  ['list -g earth crabs ', 'Alex *Mia'],
  ['profile --remove ', 'home work'],
  ['list --profile=', '--profile=home --profile=work'],
  ['user create ', ''],
  ['completion ', SHELLS.join(' ')],
])('completion of "%s" offers "%s"', (line, expected) => {
  expect(offered(line).join(' ')).toBe(expected)
})

test.each([
  ['add --file c', 'files'],
  ['add --file=c', 'files'],
  ['restore ', 'folders'],
])('the shell completes the path of "%s" from %s', (line, paths) => {
  expect(complete(line.split(' '), data, own)).toMatchObject({ paths })
})

test('completion never fails, for any input', () => {
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

test('completion reads the configuration only if the candidates come from it', () => {
  const never = () => {
    throw new Error('The configuration was read.')
  }
  expect(complete(['list', '--sort', ''], data, never).candidates).toHaveLength(3)
})

test.each([
  ['bash', String.raw`add "Bronze Koi" a\ b 'c d' --rarity go`, ['gold']],
  ['bash', 'list --gamemode=E', ['--gamemode=earth']],
  ['bash', String.raw`list fish \*`, ['*Mia']],
  ['bash', "list fish 'A", ['Alex']],
  ['bash', 'add --user="Al', ['--user=Alex']],
  ['bash', 'profile ', ['home', 'work']],
  ['zsh', 'profile ', ['home\thttp://127.0.0.1:8787', 'work']],
  ['fish', 'profile ', ['home\thttp://127.0.0.1:8787', 'work']],
] as const)('the reply to %s for the line "%s" is %j', (shell, line, words) => {
  expect(completionReply(shell, { FISH_CLI_LINE: `fish-cli ${line}` }, data, own)).toBe(
    ['words', ...words, ''].join('\n'),
  )
})

describe('the local names', () => {
  test('contain each valid profile and player once, and the usual gamemodes', async () => {
    const folder = newFolder()
    const gamemodes = GAMEMODES.map((value) => ({ value }))
    expect(readLocalNames(xdgFolders(folder))).toEqual({ profiles: [], users: [], gamemodes })
    await writeProfiles(folder, {
      a: { url: 'http://a', user: 'Alex' },
      b: { url: 'http://b', user: 'Alex' },
      c: { url: 'http://c', user: '$(id)' },
    })
    const profiles = ['a', 'b', 'c'].map((value) => ({ value, description: `http://${value}` }))
    expect(readLocalNames(xdgFolders(folder))).toEqual({ profiles, users: [{ value: 'Alex' }], gamemodes })
  })

  test.each(['', '{', 'null', '[]', '{"profiles":7}', '{"version":1,"profiles":{"$(id)":{"url":"http://a"}}}'])(
    'cannot be read from a broken configuration: %s',
    async (text) => {
      const folder = newFolder()
      await writeProfiles(folder, {})
      writeFileSync(join(folder, 'config', 'fish-crab', 'config.json'), text)
      expect(() => readLocalNames(xdgFolders(folder))).toThrow('cannot be used')
    },
  )
})

describe('fish-cli completion', () => {
  test.each(SHELLS)('prints and installs the script for %s with mode 644, and can be repeated', async (shell) => {
    const HOME = newFolder()
    const install = () => run(['completion', shell, '--install', '--json'], { env: { HOME } })
    const first = await install()
    const { path, next } = JSON.parse(first.stdout) as { path: string; next: string | null }
    expect(await install()).toEqual(first)
    const { stdout } = await run(['completion', shell])
    expect([stdout, readFileSync(path, 'utf8')]).toEqual([
      expect.stringContaining(`fish-cli __complete ${shell}`),
      stdout,
    ])
    expect(statSync(path).mode & 0o777).toBe(0o644)
    expect(next?.includes(path) ?? shell === 'fish').toBe(true)
  })

  test('prints the script for the shell in SHELL, and lists the shells if this shell is unsupported or missing', async () => {
    expect((await run(['completion'], { env: { SHELL: '/usr/bin/zsh' } })).stdout).toMatch(/^#compdef fish-cli\n/)
    expect((await run(['completion', 'pwsh'])).stdout).toContain('Register-ArgumentCompleter -Native')
    const hint = `Choose a shell from ${SHELLS.join(', ')}. For example: fish-cli completion bash`
    for (const argv of [['completion', 'tcsh'], ['completion']]) {
      expect(await run(argv)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(hint) })
    }
  })

  test.each(['.config', '.config/fish/completions/fish-cli.fish/x', '.config/fish/completions/fish-cli.fish.new/x'])(
    '--install fails if the file %s is in the way',
    async (file) => {
      const HOME = newFolder()
      mkdirSync(join(HOME, file, '..'), { recursive: true })
      writeFileSync(join(HOME, file), '')
      const { stdout } = await run(['completion', 'fish', '--install', '--json'], { env: { HOME } })
      expect(JSON.parse(stdout).error.code).toBe('file_not_written')
    },
  )

  // No test machine has PowerShell, so this test repeats the steps of the script.
  test('prints a script for PowerShell that passes the line in a variable, removes it, and splits the reply', async () => {
    const script = (await run(['completion', 'powershell'])).stdout
    const [, variable = ''] = /\$env:(\w+) = "\$commandAst"\.PadRight\(/.exec(script) ?? []
    expect(script).toContain(`finally {\n    Remove-Item Env:${variable} -ErrorAction`)
    expect(script).toContain('@(fish-cli __complete powershell 2>$null) | Select-Object -Skip 1 |')
    expect(script).toContain('$value, $description = $_ -split "`t", 2')
    const reply = completionReply('powershell', { [variable]: 'fish-cli profile ' }, data, own)
    const candidates = reply.trimEnd().split('\n').slice(1)
    expect(candidates.map((each) => each.split('\t'))).toEqual([['home', 'http://127.0.0.1:8787'], ['work']])
  })
})
