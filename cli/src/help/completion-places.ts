import { join } from 'node:path'
import { folders } from '../config/paths.ts'
import type { Env } from '../core/context.ts'
import type { Shell } from './shells.ts'

/** Where the script of a shell belongs. */
export interface Place {
  readonly path: string
  /** What is typed once, after that. Without it the shell finds the file by itself. */
  readonly next?: string | undefined
  /** Where that is not needed. @default nowhere */
  readonly unless?: string | undefined
}

// The names of the folders that bash-completion, zsh and fish look into, in the data and configuration of a user.
const IN_BASH = ['bash-completion', 'completions', 'fish-cli']
const IN_ZSH = ['zsh', 'site-functions', '_fish-cli']
const IN_FISH = ['fish', 'completions', 'fish-cli.fish']
const IN_OURS = ['completion', 'fish-cli.ps1']

/**
 * Where `--install` puts the script of a shell. zsh and bash are told to read the file itself: calling compinit once
 * more for a folder would cost many times what reading these few lines does.
 *
 * @param home The user's home folder.
 * @example placeOf('fish', { env: {}, home: '/home/alex' }).path // '/home/alex/.config/fish/completions/fish-cli.fish'
 */
export function placeOf(shell: Shell, { env, home }: { readonly env: Env; readonly home: string }): Place {
  const absolute = (value: string | undefined) => (value?.startsWith('/') ? value : undefined)
  const data = absolute(env.XDG_DATA_HOME) ?? join(home, '.local', 'share')
  const config = absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
  if (shell === 'fish') return { path: join(config, ...IN_FISH) }
  if (shell === 'zsh') {
    const path = join(data, ...IN_ZSH)
    return { path, next: `echo '. ${quoted(path)}' >> ~/.zshrc` }
  }
  if (shell === 'bash') {
    const own = absolute(env.BASH_COMPLETION_USER_DIR)
    const path = own ? join(own, ...IN_BASH.slice(1)) : join(data, ...IN_BASH)
    return { path, next: `echo '. ${quoted(path)}' >> ~/.bashrc`, unless: 'bash loads the package bash-completion' }
  }
  const path = join(folders({ env }).data, ...IN_OURS)
  return { path, next: `Add-Content -Path $PROFILE -Value ". '${path.replaceAll("'", "''")}'"` }
}

/** A path inside a line that itself stands in single quotation marks. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `"${path.replace(/["$`\\]/g, '\\$&').replaceAll("'", "'\\''")}"`
}
