import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPLETED, completed, type Home, homeWithFiles, missing, newHome, typeInto } from './completion-shells.ts'

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
  test('completes commands, flags, values, profiles and players after a real TAB', async () => {
    const bash = await openBash(homeWithFiles())
    const lines = { ...COMPLETED, 'fish-cli list "fish" "Al\t': 'fish-cli list "fish" "Alex" ' }
    expect(await completed(bash, Object.keys(lines))).toEqual(lines)
  })

  test('lists every candidate if there are several', async () => {
    const bash = await openBash(newHome())
    const screen = await bash.screen('fish-cli list -g \t', /survival/)
    for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) expect(screen).toContain(gamemode)
    expect(await bash.screen('fish-cli profile \t', /home *\s+work/)).not.toContain('--remove')
  })

  test('prints nothing after TAB if fish-cli is missing or its configuration is invalid', async () => {
    const home = newHome()
    const bash = await openBash(home)
    writeFileSync(join(home.folder, '.config', 'fish-crab', 'config.json'), '{ not JSON')
    expect(await bash.line('fish-cli profile w\t')).toBe('fish-cli profile w')
    expect(await bash.line('PATH=/nowhere\rfish-cli lis\t')).toBe('fish-cli lis')
  })

  test('works without compopt, which bash 3.2 lacks', async () => {
    const home = newHome()
    writeFileSync(join(home.folder, 'catches 1.csv'), '')
    const bash = await openBash(home, 'enable -n compopt')
    expect(await bash.line('fish-cli list --gamemode=ea\t')).toBe('fish-cli list --gamemode=earth ')
    expect(await bash.line('fish-cli add --file catc\t')).toBe('fish-cli add --file catches\\ 1.csv ')
  })
})
