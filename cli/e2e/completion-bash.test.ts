import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Home, missing, newHome, typeInto } from './completion-shells.ts'

const skipped = missing('bash')
const HOOKS = `
PS1='ready> '
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous on'
bind 'set page-completions off'
bind 'set completion-query-items 0'
bind -x '"\\C-xq": printf "<<%s>>" "$READLINE_LINE"'
`

async function openBash(home: Home, before = '') {
  const script = join(home.folder, 'fish-cli.bash')
  writeFileSync(script, await home.fish('completion', 'bash'))
  writeFileSync(join(home.folder, 'rc'), `${before}\n. ${script}\n${HOOKS}`)
  return typeInto(['bash', '--noprofile', '--rcfile', join(home.folder, 'rc'), '-i'], home)
}

describe.skipIf(skipped !== '')(`bash${skipped}`, () => {
  test('completes commands, flags, values and names of the user at a real TAB', async () => {
    const home = newHome()
    mkdirSync(join(home.folder, 'list'))
    mkdirSync(join(home.folder, 'cat logs'))
    writeFileSync(join(home.folder, 'catches 1.csv'), '')
    const bash = await openBash(home)
    const lines: Record<string, string> = {
      'fish-cli lis\t': 'fish-cli list ',
      'fish-cli profile u\t': 'fish-cli profile use ',
      'fish-cli profile use w\t': 'fish-cli profile use work ',
      'fish-cli list --gam\t': 'fish-cli list --gamemode ',
      'fish-cli list --gamemode ea\t': 'fish-cli list --gamemode earth ',
      'fish-cli list --gamemode=ea\t': 'fish-cli list --gamemode=earth ',
      'fish-cli list -g ea\t': 'fish-cli list -g earth ',
      'fish-cli list --profile=w\t': 'fish-cli list --profile=work ',
      'fish-cli list --url http://127.0.0.1:1 --profile w\t': 'fish-cli list --url http://127.0.0.1:1 --profile work ',
      'fish-cli list fish \\*\t': 'fish-cli list fish \\*Mia ',
      'fish-cli list "fish" "Al\t': 'fish-cli list "fish" "Alex"',
      'fish-cli list --fields name,rar\t': 'fish-cli list --fields name,rarity',
      'fish-cli add "Köi ▶" --rarity go\t': 'fish-cli add "Köi ▶" --rarity gold ',
      'fish-cli config set output js\t': 'fish-cli config set output json',
      'fish-cli add --file catc\t': 'fish-cli add --file catches\\ 1.csv ',
      'fish-cli add --file=catc\t': 'fish-cli add --file=catches\\ 1.csv ',
      'fish-cli restore ca\t': 'fish-cli restore cat\\ logs/',
      'fish-cli status xyz\t': 'fish-cli status xyz',
      'true; FISH_KEY=canary fish-cli lis\t': 'true; FISH_KEY=canary fish-cli list ',
      'fish-cli completion z\t': 'fish-cli completion zsh ',
    }
    const seen: Record<string, string> = {}
    for (const keys of Object.keys(lines)) seen[keys] = await bash.line(keys)
    expect(seen).toEqual(lines)
  })

  test('shows all that there is where several can stand', async () => {
    const bash = await openBash(newHome())
    const screen = await bash.screen('fish-cli list -g \t', /survival/)
    for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) expect(screen).toContain(gamemode)
    expect(await bash.screen('fish-cli profile use \t', /home *\s+work/)).not.toContain('use list')
  })

  test('stays quiet at TAB when fish-cli is gone or its own files are', async () => {
    const home = newHome()
    const bash = await openBash(home)
    writeFileSync(join(home.folder, '.config', 'fish-crab', 'config.json'), '{ not JSON')
    expect(await bash.line('fish-cli profile use w\t')).toBe('fish-cli profile use w')
    expect(await bash.line('PATH=/nowhere\rfish-cli lis\t')).toBe('fish-cli lis')
  })

  test('works as bash 3.2 does, which has no compopt', async () => {
    const home = newHome()
    writeFileSync(join(home.folder, 'catches 1.csv'), '')
    const bash = await openBash(home, 'enable -n compopt')
    expect(await bash.line('fish-cli list --gamemode=ea\t')).toBe('fish-cli list --gamemode=earth ')
    expect(await bash.line('fish-cli add --file catc\t')).toBe('fish-cli add --file catches\\ 1.csv')
  })
})
