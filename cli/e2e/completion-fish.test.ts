import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Home, missing, newHome, typeInto } from './completion-shells.ts'

const skipped = missing('fish')
const HOOKS = `
function fish_prompt; echo -n 'ready> '; end
function fish_greeting; end
set -g fish_autosuggestion_enabled 0
bind \\cxq 'printf "<<%s>>" (commandline)'
bind \\cu 'commandline -r ""'
`

/** The candidates that fish offers for a line, with their descriptions. */
function offered(home: Home, line: string): Readonly<Record<string, string>> {
  const command = 'complete -C "$TYPED"'
  const env = { ...home.env, TYPED: line }
  const text = execFileSync('fish', ['-c', command], {
    env,
    cwd: home.folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pairs = text.split('\n').filter((each) => each !== '')
  return Object.fromEntries(pairs.map((each) => each.split('\t')).map(([word = '', about = '']) => [word, about]))
}

async function installed() {
  const home = newHome()
  await home.fish('completion', 'fish', '--install')
  return home
}

describe.skipIf(skipped !== '')(`fish${skipped}`, () => {
  test('offers commands, flags and profiles with their descriptions, and offers values', async () => {
    const home = await installed()
    expect(offered(home, 'fish-cli lis')).toEqual({ list: expect.stringMatching(/^List /) })
    expect(Object.keys(offered(home, 'fish-cli user '))).toEqual(['create', 'delete', 'list', 'reset', 'show'])
    expect(offered(home, 'fish-cli list --gam')).toEqual({
      '--gamemode': expect.stringMatching(/^Gamemode of the collection/),
    })
    expect(offered(home, 'fish-cli profile ')).toEqual({
      home: 'http://127.0.0.1:8787',
      work: 'https://fish.example.org',
    })
    expect(Object.keys(offered(home, 'fish-cli add Cod -r '))).toEqual([
      'unknown/other',
      'bronze',
      'silver',
      'gold',
      'diamond',
      'platinum',
      'mythical',
    ])
    expect(Object.keys(offered(home, 'fish-cli list --profile=w'))).toEqual(['--profile=work'])
    expect(Object.keys(offered(home, 'true; FISH_KEY=canary fish-cli list -g ea'))).toEqual(['earth'])
    expect(offered(home, 'fish-cli status xyz')).toEqual({})
  })

  test('completes paths only where a command expects a path', async () => {
    const home = await installed()
    mkdirSync(join(home.folder, 'catalog'))
    writeFileSync(join(home.folder, 'catches.csv'), '')
    expect(Object.keys(offered(home, 'fish-cli add --file ca')).sort()).toEqual(['catalog/', 'catches.csv'])
    expect(Object.keys(offered(home, 'fish-cli add --file=catc'))).toEqual(['--file=catches.csv'])
    expect(Object.keys(offered(home, 'fish-cli restore ca'))).toEqual(['catalog/'])
    expect(offered(home, 'fish-cli list -g ca')).toEqual({})
  })

  test('completes a line after a real TAB', async () => {
    const home = await installed()
    mkdirSync(join(home.folder, '.config', 'fish'), { recursive: true })
    writeFileSync(join(home.folder, '.config', 'fish', 'config.fish'), HOOKS)
    const fish = await typeInto(['fish', '-i'], home)
    expect(await fish.line('fish-cli lis\t')).toBe('fish-cli list ')
    expect(await fish.line('fish-cli profile w\t')).toBe('fish-cli profile work ')
    expect(await fish.line('fish-cli list fish Al\t')).toBe('fish-cli list fish Alex ')
  })

  test('prints nothing when fish-cli is missing', async () => {
    const home = await installed()
    const path = home.env.PATH ?? ''
    const script = 'set -x PATH /nowhere; complete -C "fish-cli lis"'
    const fish = execFileSync('sh', ['-c', 'command -v fish'], { env: { PATH: path }, encoding: 'utf8' }).trim()
    expect(execFileSync(fish, ['-c', script], { env: home.env, encoding: 'utf8' })).toBe('')
  })
})
