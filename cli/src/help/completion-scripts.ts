import { COMPLETE_COMMAND, type Shell, VARIABLES } from './shells.ts'

const { line, breaks, words } = VARIABLES

/** What is in every script, and tells it from other files. */
export const SCRIPT_MARK = 'Written by: fish-cli completion'

const HEADER = `# Completes command lines of fish-cli. ${SCRIPT_MARK}`

// No mapfile and no compopt in bash 3.2, which macOS brings; there, paths are offered wherever there is nothing else.
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
  elif [[ $kind == list ]]; then
    _describe -V 'fish-cli' reply -S ''
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
    if ($_ -is [Context.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  }) + "$wordToComplete"
  try {
    $env:${words} = $typed -join [char]0x1f
    @(fish-cli ${COMPLETE_COMMAND} powershell 2>$null) | Select-Object -Skip 1 | ForEach-Object {
      $value, $description = $_ -split "\`t", 2
      if (-not $description) { $description = $value }
      [Context.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
  } catch {
  } finally {
    Remove-Item Env:${words} -ErrorAction SilentlyContinue
  }
}
`

/**
 * What a shell has to run, once, to complete command lines of fish-cli. It starts nothing before a key is pressed, and
 * is the same for every version: what there is to complete, it asks the program that is installed then.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }
