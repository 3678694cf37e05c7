import { join } from 'node:path'
import { readTextFile, replaceFile } from '../config/files.ts'
import { folders } from '../config/paths.ts'
import type { Env } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { COMPLETE_COMMAND, type Shell, VARIABLES } from '../core/shells.ts'

const { line, breaks, words } = VARIABLES

/** Identifies files that this program wrote. */
const SCRIPT_MARK = 'Written by: fish-cli completion'

const HEADER = `# Completes command lines of fish-cli. ${SCRIPT_MARK}`

// bash 3.2, which macOS has, lacks mapfile and compopt; there, paths are offered wherever nothing else matches.
const BASH = `${HEADER} bash
_fish_cli() {
  local reply kind=
  COMPREPLY=()
  while IFS= read -r reply; do
    if [ -z "$kind" ]; then kind=$reply; else COMPREPLY+=("$reply"); fi
  done < <(${line}="\${COMP_LINE:0:COMP_POINT}" ${breaks}="$COMP_WORDBREAKS" fish-cli ${COMPLETE_COMMAND} bash 2>/dev/null)
  case $kind in
    files*) compopt -o default +o nospace 2>/dev/null ;;
    folders*) compopt -o dirnames +o nospace 2>/dev/null ;;
  esac
}
if type compopt >/dev/null 2>&1; then
  complete -o nospace -F _fish_cli fish-cli
else
  complete -o nospace -o default -F _fish_cli fish-cli
fi
`

// In a folder of fpath it is called for the first completion; when it is sourced it registers itself.
const ZSH = `#compdef fish-cli
${HEADER} zsh
_fish_cli() {
  local -a typed reply
  local kind
  typed=("\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}")
  reply=("\${(@f)$(${words}="\${(pj:\\x1f:)typed}" fish-cli ${COMPLETE_COMMAND} zsh 2>/dev/null)}")
  kind=$reply[1]
  reply=("\${(@)reply[2,-1]}")
  (( \${#reply} )) && [[ -z $reply[1] ]] && reply=()
  if [[ $kind == (files|folders)' '* ]]; then
    compset -p \${kind#* }
    if [[ $kind == files* ]]; then _files; else _files -/; fi
  else
    _describe -V 'fish-cli' reply
  fi
}
if [[ $funcstack[1] == _fish-cli ]]; then
  _fish_cli "$@"
elif (( $+functions[compdef] )); then
  compdef _fish_cli fish-cli
else
  print -u2 'fish-cli: completion needs compinit. Before this, ~/.zshrc must have: autoload -Uz compinit && compinit'
fi
`

const FISH = `${HEADER} fish
function __fish_cli_complete
    set -l current (commandline -ct)
    set -lx ${words} (string join \\x1f -- (commandline -opc) "$current")
    set -l reply (fish-cli ${COMPLETE_COMMAND} fish 2>/dev/null)
    set -l kind (string split ' ' -- "$reply[1]")
    set -e reply[1]
    if contains -- "$kind[1]" files folders
        set -l start (string sub -l $kind[2] -- "$current")
        set -l path (string sub -s (math $kind[2] + 1) -- "$current")
        if test "$kind[1]" = files
            set -a reply "$start"(__fish_complete_path "$path")
        else
            set -a reply "$start"(__fish_complete_directories "$path" '')
        end
    end
    set -q reply[1]; and printf '%s\\n' $reply
end
complete -c fish-cli -f -k -a '(__fish_cli_complete)'
`

const POWERSHELL = `${HEADER} powershell
Register-ArgumentCompleter -Native -CommandName 'fish-cli', 'fish-cli.cmd', 'fish-cli.ps1' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  }) + "$wordToComplete"
  try {
    $env:${words} = $typed -join [char]0x1f
    @(fish-cli ${COMPLETE_COMMAND} powershell 2>$null) | Select-Object -Skip 1 | ForEach-Object {
      $value, $description = $_ -split "\`t", 2
      if (-not $description) { $description = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
  } catch {
  } finally {
    Remove-Item Env:${words} -ErrorAction SilentlyContinue
  }
}
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }

export interface ScriptLocation {
  readonly path: string
  /** The line to add once, after that. Absent if the shell finds the file by itself. */
  readonly next?: string | undefined
  /** Where that line is not needed. */
  readonly unless?: string | undefined
}

/** zsh and bash get a line that sources the file: compinit for its folder would take many times as long. */
export function scriptLocation(
  shell: Shell,
  { env, home }: { readonly env: Env; readonly home: string },
): ScriptLocation {
  const absolute = (value: string | undefined) => (value?.startsWith('/') ? value : undefined)
  const data = absolute(env.XDG_DATA_HOME) ?? join(home, '.local', 'share')
  const config = absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
  if (shell === 'fish') return { path: join(config, 'fish', 'completions', 'fish-cli.fish') }
  if (shell === 'zsh') {
    const path = join(data, 'zsh', 'site-functions', '_fish-cli')
    return { path, next: `echo '. ${quoted(path)}' >> ~/.zshrc` }
  }
  if (shell === 'bash') {
    const folder = absolute(env.BASH_COMPLETION_USER_DIR) ?? join(data, 'bash-completion')
    const path = join(folder, 'completions', 'fish-cli')
    return { path, next: `echo '. ${quoted(path)}' >> ~/.bashrc`, unless: 'bash loads the package bash-completion' }
  }
  const path = join(folders({ env }).data, 'completion', 'fish-cli.ps1')
  return { path, next: `Add-Content -Path $PROFILE -Value ". '${path.replaceAll("'", "''")}'"` }
}

/** A path inside a line that is itself in single quotation marks. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `"${path.replace(/["$`\\]/g, '\\$&').replaceAll("'", "'\\''")}"`
}

const READABLE_BY_ALL = { file: 0o644, folder: 0o777 }

export function installScript(path: string, script: string): void {
  if (readTextFile(path)?.includes(SCRIPT_MARK) === false) {
    throw new CliError({
      code: 'file_exists',
      message: `${path} exists already, and fish-cli did not write it.`,
      hint: 'Move that file, or print the script and save it elsewhere: fish-cli completion --help',
      exit: EXIT.conflict,
    })
  }
  replaceFile(path, script, READABLE_BY_ALL)
}
