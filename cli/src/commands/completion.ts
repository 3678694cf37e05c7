import { basename } from 'node:path'
import { homeFolder } from '../config/paths.ts'
import type { Env } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import { isShell, SHELLS, type Shell } from '../core/shells.ts'
import { printable } from '../output/text.ts'
import { installScript, SCRIPTS, type ScriptLocation, scriptLocation } from './completion-script.ts'
import { Args, defineCommand, Flags, words } from './define.ts'

/** `fish-cli completion` */
export const completionCommand = defineCommand({
  summary: 'Let your shell complete commands, flags and values of fish-cli.',
  description: [
    'With --install it writes a short script where your shell looks for it, and says what else to type, if anything. ' +
      'Without, it prints the script. To keep it where you like, type once:',
    "bash:\nfish-cli completion bash > ~/.fish-cli.bash\necho '. ~/.fish-cli.bash' >> ~/.bashrc",
    "zsh:\nfish-cli completion zsh > ~/.fish-cli.zsh\necho '. ~/.fish-cli.zsh' >> ~/.zshrc",
    'fish:\nfish-cli completion fish > ~/.config/fish/completions/fish-cli.fish',
    "powershell:\nfish-cli completion powershell > ~/fish-cli.ps1\nAdd-Content $PROFILE '. ~/fish-cli.ps1'",
    'In ~/.zshrc it belongs behind compinit. As a file named _fish-cli in a folder of fpath, zsh finds it by itself.',
    'A shell starts as quickly as before: nothing of fish-cli runs until a key is pressed. That is why the script ' +
      'belongs in a file, not in eval "$(fish-cli completion bash)". An update of fish-cli needs no new script.',
  ].join('\n\n'),
  examples: [
    { description: 'For the shell that SHELL names:', command: 'fish-cli completion --install' },
    'fish-cli completion zsh --install',
    'fish-cli completion bash > ~/.fish-cli.bash',
  ],
  args: {
    shell: Args.string({ description: `${oneOf(SHELLS)}; that of SHELL when left out`, ignoreStdin: true }),
  },
  flags: {
    install: Flags.boolean({ summary: 'Write the script where the shell looks for it.' }),
  },
  completion: { shell: words(SHELLS) },

  async run(context) {
    const { args, flags } = context
    const shell = shellOf(args.shell, context.env)
    const script = SCRIPTS[shell]
    if (!flags.install) {
      if (context.stdout.isTTY) context.note(`To use this: fish-cli completion ${shell} --install`)
      return context.print({ shell, script }, () => script.trimEnd(), { isVerbatim: true })
    }
    const place = scriptLocation(shell, { env: context.env, home: homeFolder(context.env) })
    installScript(place.path, script)
    const { path, next = null } = place
    return context.print({ shell, path, next }, () => installed(shell, place))
  },
})

function installed(shell: Shell, { path, next, unless }: ScriptLocation): string {
  const done = `Wrote ${printable(path)}.`
  const from = `It works in every new ${shell}.`
  if (next === undefined) return `${done} ${from}`
  const when = unless === undefined ? 'Then type this once' : `Then type this once, unless ${unless}`
  return `${done} ${when}:\n  ${printable(next)}\n${from}`
}

/** @throws CliError that names the shells there are */
function shellOf(named: string | undefined, { SHELL }: Env): Shell {
  const name = (named ?? basename(SHELL ?? '')).toLowerCase().replace(/\.exe$/, '')
  const shell = name === 'pwsh' ? 'powershell' : name
  if (isShell(shell)) return shell
  const hint = `Name one: fish-cli completion ${SHELLS.join('|')}`
  if (named === undefined) throw usageError('SHELL names no shell that there is completion for.', hint)
  throw usageError('There is no completion for this shell.', hint)
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
