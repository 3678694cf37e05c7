import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPLETED, completed, type Home, homeWithFiles, missing, newHome, typeInto } from './completion-shells.ts'

const skipped = missing('zsh')
const COMPINIT = 'autoload -Uz compinit && compinit -u -d $HOME/.zcompdump'
const HOOKS = `
PS1='ready> '
unsetopt beep prompt_sp zle_bracketed_paste 2>/dev/null
unset zle_bracketed_paste
LISTMAX=1000
bindkey -e
show-line() { print -nr -- "<<$BUFFER>>" }
zle -N show-line
bindkey '^Xq' show-line
`

function openZsh(home: Home, settings: string) {
  writeFileSync(join(home.folder, '.zshrc'), `${settings}\n${HOOKS}`)
  return typeInto(['zsh', '-o', 'no_global_rcs', '-i'], home)
}

async function sourced(home: Home) {
  writeFileSync(join(home.folder, 'fish-cli.zsh'), await home.fish('completion', 'zsh'))
  return openZsh(home, `${COMPINIT}\n. ~/fish-cli.zsh`)
}

describe.skipIf(skipped !== '')(`zsh${skipped}`, () => {
  test('completes commands, flags, values, profiles and players after a real TAB', async () => {
    const zsh = await sourced(homeWithFiles())
    expect(await completed(zsh, Object.keys(COMPLETED))).toEqual(COMPLETED)
  })

  test('describes each candidate', async () => {
    const zsh = await sourced(newHome())
    const screen = await zsh.screen('fish-cli config \t', /secret-store/)
    expect(screen).toMatch(/max-wait +-- Seconds to wait/)
    expect(await zsh.screen('fish-cli list --profile=\t', /work +-- https/)).toMatch(
      /home +-- http:\/\/127\.0\.0\.1:8787/,
    )
  })

  test('loads the script from the folder in fpath to which --install has written it', async () => {
    const home = newHome()
    const { path } = JSON.parse(await home.fish('completion', 'zsh', '--install', '--json')) as { path: string }
    const zsh = await openZsh(home, `fpath=(${join(path, '..')} $fpath)\n${COMPINIT}`)
    expect(await zsh.line('fish-cli lis\t')).toBe('fish-cli list ')
    expect(await zsh.line('fish-cli profile w\t')).toBe('fish-cli profile work ')
  })

  test('prints the next step if compinit has not run, and otherwise works after only the line that --install prints', async () => {
    const home = newHome()
    const { next } = JSON.parse(await home.fish('completion', 'zsh', '--install', '--json')) as { next: string }
    const line = /^echo '(.*)' >> ~\/\.zshrc$/.exec(next)?.[1]
    const without = await openZsh(home, `${line} 2>said`)
    expect(await without.screen('cat said\r', /Uz/)).toContain('autoload -Uz compinit && compinit')
    const zsh = await openZsh(home, `${COMPINIT}\n${line}`)
    expect(await zsh.line('fish-cli lis\t')).toBe('fish-cli list ')
  })

  test('prints nothing after TAB if fish-cli is missing', async () => {
    const zsh = await sourced(newHome())
    expect(await zsh.line('path=(/nowhere)\rfish-cli lis\t')).toBe('fish-cli lis')
  })
})
