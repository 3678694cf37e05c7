import type { Env } from '../core/context.ts'
import { readBashLine } from './bash-line.ts'
import type { Answer, Candidate, CompletionData, OwnNames } from './completion-data.ts'
import { complete } from './completion-engine.ts'
import { SEPARATOR, type Shell, VARIABLES } from './shells.ts'

/**
 * What the script of a shell reads: first a line that says what follows (`words`; `list`, where a comma may come next;
 * `files 7` or `folders 7`, where the shell completes a path behind so many characters), then one candidate in a line.
 *
 * @param env With what the script handed over in {@link VARIABLES}.
 */
export function answerFor(shell: Shell, env: Env, data: CompletionData, own: () => OwnNames): string {
  if (shell === 'bash') return forBash(env, data, own)
  const words = (env[VARIABLES.words] ?? '').split(SEPARATOR).slice(1)
  const answer = complete(words, data, own)
  // zsh and fish choose themselves, in the ways that their users have set.
  const chosen = shell === 'powershell' ? matching(answer.candidates, words.at(-1) ?? '') : answer.candidates
  const line = shell === 'zsh' ? zshLine : tabbedLine
  return lines(answer, chosen.map(line))
}

function forBash(env: Env, data: CompletionData, own: () => OwnNames): string {
  const { words, quote } = readBashLine(env[VARIABLES.line] ?? '')
  const current = words.at(-1) ?? ''
  const answer = complete(words, data, own)
  // bash replaces only what stands behind the last of the characters at which it cuts words.
  const breaks = [...(env[VARIABLES.breaks] ?? '')].filter((char) => /[=:]/.test(char))
  const cut = quote?.at ?? Math.max(0, ...breaks.map((char) => current.lastIndexOf(char) + 1))
  const end = answer.open || quote ? '' : ' '
  const texts = matching(answer.candidates, current).map(({ value }) => {
    const rest = value.slice(cut)
    return `${quote ? rest : rest.replace(/[^\w./,:=@%+-]/g, '\\$&')}${end}`
  })
  return lines(answer, texts)
}

/** Those that begin as what was typed, in its letter case where there are any. */
function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(typed))
  if (exact.length > 0) return exact
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
}

function lines({ paths, skip, open }: Answer, candidates: readonly string[]): string {
  const head = paths ? `${paths} ${skip}` : open ? 'list' : 'words'
  return `${[head, ...candidates].join('\n')}\n`
}

// A colon ends the value for _describe.
function zshLine({ value, description }: Candidate): string {
  const escaped = value.replace(/[\\:]/g, '\\$&')
  return description ? `${escaped}:${description}` : escaped
}

function tabbedLine({ value, description }: Candidate): string {
  return description ? `${value}\t${description}` : value
}
