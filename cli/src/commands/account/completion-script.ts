import { dirname, join } from 'node:path'
import { userFolders } from '../../../../sdk/src/internal/user-folders.node.ts'
import { shellCommand } from '../../../../server/src/node/shell-command.ts'
import type { Env } from '../../core/system.ts'
import { folders, homeFolder } from '../../session/paths.ts'
import { COMPLETE_COMMAND, LINE_VARIABLE, type Shell } from './shells.ts'

const HEADER = '# Completes command lines of fish-cli. Written by: fish-cli completion'

// bash 3.2, the version of macOS, lacks compopt, so bash 3.2 offers paths wherever nothing else matches. bash splits
// words at "=". $2 is the part of the word that bash replaces, without an opening quotation mark.
const BASH = `${HEADER} bash
_fish_cli() {
  local reply line="\${COMP_LINE:0:COMP_POINT}"
  COMPREPLY=()
  while IFS= read -r reply; do
    case $reply in
      words) ;;
      files) compopt -o default 2>/dev/null ;;
      folders) compopt -o dirnames 2>/dev/null ;;
      *)
        [[ $2 == -* ]] || reply=\${reply#--*=}
        [[ \${line%"$2"} == *[\\"\\'] ]] || printf -v reply %q "$reply"
        COMPREPLY+=("$reply") ;;
    esac
  done < <(${LINE_VARIABLE}=$line fish-cli ${COMPLETE_COMMAND} bash 2>/dev/null)
}
complete -F _fish_cli fish-cli
type compopt >/dev/null 2>&1 || complete -o default -F _fish_cli fish-cli
`

// If the script is in a folder of fpath, zsh runs the script for the first completion. If the script is sourced, it
// registers itself.
const ZSH = `#compdef fish-cli
${HEADER} zsh
_fish_cli() {
  local -a reply
  reply=("\${(@f)$(${LINE_VARIABLE}="$words[1,CURRENT-1] $PREFIX" fish-cli ${COMPLETE_COMMAND} zsh 2>/dev/null)}")
  case $reply[1] in
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    words)
      # A colon ends the value for _describe.
      reply=("\${(@)reply[2,-1]//:/\\\\:}")
      reply=("\${(@)reply/$'\\t'/:}")
      _describe -V 'fish-cli' reply ;;
  esac
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
    set -lx ${LINE_VARIABLE} (commandline -cp | string collect)
    set -l reply (fish-cli ${COMPLETE_COMMAND} fish 2>/dev/null)
    set -l start (commandline -ct | string match -r -- '^--[^=]+=')
    set -l path (commandline -ct | string replace -r -- '^--[^=]+=' '')
    switch "$reply[1]"
        case files
            set -a reply "$start"(__fish_complete_path "$path")
        case folders
            set -a reply "$start"(__fish_complete_directories "$path" '')
    end
    printf '%s\\n' $reply[2..]
end
complete -c fish-cli -f -k -a '(__fish_cli_complete)'
`

const POWERSHELL = `${HEADER} powershell
Register-ArgumentCompleter -Native -CommandName 'fish-cli', 'fish-cli.cmd', 'fish-cli.ps1' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  try {
    $env:${LINE_VARIABLE} = "$commandAst".PadRight($length).Substring(0, $length)
    @(fish-cli ${COMPLETE_COMMAND} powershell 2>$null) | Select-Object -Skip 1 | ForEach-Object {
      $value, $description = $_ -split "\`t", 2
      if (-not $description) { $description = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
  } catch {
  } finally {
    Remove-Item Env:${LINE_VARIABLE} -ErrorAction SilentlyContinue
  }
}
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }

/**
 * Returns the path of the script, and the command that makes the shell load the script. The command is `null` if the
 * shell finds the script by itself. zsh sources the script, because compinit for the folder would take many times as
 * long.
 */
export function scriptLocation(shell: Shell, env: Env): { path: string; next: string | null } {
  // These shells use the XDG folders on every system.
  const xdg = userFolders({ platform: 'linux', env, home: homeFolder(env) })
  const [config, data] = [dirname(xdg.config), dirname(xdg.data)]
  const sourced = (path: string, startFile: string) => ({
    path,
    next: `${shellCommand(['echo', `. ${shellCommand([path])}`])} >> ${startFile}`,
  })
  if (shell === 'fish') return { path: join(config, 'fish', 'completions', 'fish-cli.fish'), next: null }
  if (shell === 'zsh') return sourced(join(data, 'zsh', 'site-functions', '_fish-cli'), '~/.zshrc')
  if (shell === 'bash') return sourced(join(data, 'bash-completion', 'completions', 'fish-cli'), '~/.bashrc')
  const path = join(folders({ env }).data, 'completion', 'fish-cli.ps1')
  return { path, next: `Add-Content -Path $PROFILE -Value ". '${path.replaceAll("'", "''")}'"` }
}
