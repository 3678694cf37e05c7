import { basename } from 'node:path'
import { commandLine } from '../../core/argv.ts'
import { usageError } from '../../core/errors.ts'
import type { Env } from '../../core/system.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { replaceFile } from '../../session/files.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import { SCRIPTS, scriptLocation } from './completion-script.ts'
import { isShell, SHELLS, type Shell } from './shells.ts'

const READABLE_BY_ALL = { file: 0o644, folder: 0o777 }

export const completionCommand = defineCommand({
  summary: 'Set up shell completion of commands, flags and values.',
  description:
    'With --install, writes a short script to the folder where your shell looks for it, and prints any further ' +
    'step. Otherwise, the command prints the script, so that you can save it to a file. The script stays valid ' +
    'when fish-cli is updated. In ~/.zshrc, the line that loads the script must follow compinit.',
  examples: [
    {
      description: 'Install for your shell, which the variable SHELL names:',
      command: 'fish-cli completion --install',
    },
    'fish-cli completion zsh --install',
    'fish-cli completion bash > ~/.fish-cli.bash',
  ],
  args: {
    shell: Args.string({
      description: `${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(SHELLS)} (default: the variable SHELL)`,
    }),
  },
  flags: { install: Flags.boolean({ summary: 'Write the script where the shell looks for it.' }) },
  completion: { shell: words(SHELLS) },

  async run({ session, terminal, args, flags }) {
    const shell = shellOf(args.shell, session.env)
    const script = SCRIPTS[shell]
    if (!flags.install) {
      if (terminal.screen.isTerminal)
        terminal.note(`To install the script: ${commandLine('completion', shell, '--install')}`)
      return terminal.print({ shell, script }, () => script.trimEnd().split('\n'), COPYABLE)
    }
    const { path, next } = scriptLocation(shell, session.env)
    replaceFile(path, script, READABLE_BY_ALL)
    return terminal.print({ shell, path, next }, () => {
      const step = next === null ? [`Wrote ${path}.`] : [`Wrote ${path}. Run this once:`, `  ${next}`]
      return [...step, `Completion works in every new ${shell} session.`]
    })
  },
})

function shellOf(named: string | undefined, { SHELL }: Env): Shell {
  const name = (named ?? basename(SHELL ?? '')).toLowerCase().replace(/\.exe$/, '')
  const shell = name === 'pwsh' ? 'powershell' : name
  if (isShell(shell)) return shell
  const hint = `Choose a shell from ${SHELLS.join(', ')}. For example: fish-cli completion bash`
  if (named === undefined) throw usageError('SHELL is not set to a supported shell.', hint)
  throw usageError('Unsupported shell.', hint)
}
