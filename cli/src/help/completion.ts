import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_BASE_URL } from '@fish-crab/sdk/constants'
import { knownGamemodes } from '../config/gamemodes.ts'
import { configPath } from '../config/paths.ts'
import type { Env } from '../core/context.ts'
import { isShell, SEPARATOR, type Shell, VARIABLES } from '../core/shells.ts'
import type { Candidate, Values } from '../kit/define.ts'
import type { CommandData, CompletionData, Completions, FlagData, LocalNames } from './completion-data.ts'
import { findPage } from './static-pages.ts'

export const DATA_FILE = 'completion.json'

const STDOUT = 1

/** Ignores all errors, which would disturb the command line. */
export function printCompletions(shell: string | undefined, root: string): void {
  try {
    if (!isShell(shell)) return
    const data = JSON.parse(readFileSync(join(root, 'dist', DATA_FILE), 'utf8'))
    let rest = Buffer.from(completionReply(shell, process.env, data, () => readLocalNames(process.env)))
    while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest))
  } catch {}
}

/** The kind (`words`; `files 7`, a path after 7 characters), then the candidates. */
export function completionReply(shell: Shell, env: Env, data: CompletionData, localNames: () => LocalNames): string {
  if (shell === 'bash') return forBash(env, data, localNames)
  const words = (env[VARIABLES.words] ?? '').split(SEPARATOR).slice(1)
  const result = complete(words, data, localNames)
  // zsh and fish match by the user's own settings.
  const candidates = shell === 'powershell' ? matching(result.candidates, words.at(-1) ?? '') : result.candidates
  const line = shell === 'zsh' ? zshLine : tabbedLine
  return replyText(result, candidates.map(line))
}

function forBash(env: Env, data: CompletionData, localNames: () => LocalNames): string {
  const { words, quote } = parseBashLine(env[VARIABLES.line] ?? '')
  const current = words.at(-1) ?? ''
  const result = complete(words, data, localNames)
  // bash replaces only the part after the last of its word-break characters.
  const breaks = [...(env[VARIABLES.breaks] ?? '')].filter((char) => /[=:]/.test(char))
  const cut = quote?.at ?? Math.max(0, ...breaks.map((char) => current.lastIndexOf(char) + 1))
  const end = quote ? '' : ' '
  const texts = matching(result.candidates, current).map(({ value }) => {
    const rest = value.slice(cut)
    return `${quote ? rest : rest.replace(/[^\w./,:=@%+-]/g, '\\$&')}${end}`
  })
  return replyText(result, texts)
}

/** Ignores case only if no candidate matches exactly. */
function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(typed))
  if (exact.length > 0) return exact
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
}

function replyText({ paths, skip }: Completions, candidates: readonly string[]): string {
  const head = paths ? `${paths} ${skip}` : 'words'
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

const ANYWHERE: readonly FlagData[] = [{ name: 'help', summary: 'Show help.' }]
const FIRST: readonly FlagData[] = [...ANYWHERE, { name: 'version', summary: 'Show the version.' }]
const FIRST_WORDS: readonly Candidate[] = [
  { value: 'help', description: 'Show help of a command.' },
  { value: 'version', description: 'Show the version.' },
]
const NOTHING: Completions = { candidates: [], skip: 0 }

/** Completes the last of the words after the program name, which may be empty. Calls `localNames` only where needed. */
export function complete(words: readonly string[], data: CompletionData, localNames: () => LocalNames): Completions {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const [first = ''] = before
  if (before.length === 0) {
    return completions(current.startsWith('-') ? flagsOf(FIRST) : [...wordsAfter([], data), ...FIRST_WORDS])
  }
  if (first === 'help') return completions(wordsAfter(before.slice(1), data, data.pages))
  const id = findPage(before, { has: (each) => Object.hasOwn(data.commands, each) })
  const command = id === undefined ? undefined : data.commands[id]
  const second = before.length === 1 && !current.startsWith('-') ? wordsAfter(before, data) : []
  if (!command)
    return completions(current.startsWith('-') && Object.hasOwn(data.topics, first) ? flagsOf(ANYWHERE) : second)
  const { candidates, ...rest } = completeIn(command, before.slice(id?.split(':').length), current, localNames)
  // Offers flags only if nothing else can be completed.
  const others = second.length > 0 ? candidates.filter(({ value }) => !value.startsWith('-')) : candidates
  return { ...rest, candidates: [...second, ...others] }
}

function wordsAfter(
  words: readonly string[],
  { commands, topics }: CompletionData,
  more: readonly Candidate[] = [],
): readonly Candidate[] {
  const found = Object.entries(commands).map(([id, { summary }]) => ({ path: id.split(':'), description: summary }))
  const beginnings = Object.entries(topics).map(([word, description]) => ({ path: [word], description }))
  const next = [...found, ...beginnings].filter(
    ({ path }) => path.length === words.length + 1 && words.every((word, index) => word === path[index]),
  )
  // A word that is a command and a topic is described as the command.
  const unique = new Map(next.toReversed().map(({ path, description }) => [path.at(-1) ?? '', description]))
  const sorted = [...unique].sort(([one], [other]) => (one < other ? -1 : 1))
  return [...sorted.map(([value, description]) => ({ value, description })), ...(words.length === 0 ? more : [])]
}

function completeIn(
  { flags, args }: CommandData,
  before: readonly string[],
  current: string,
  localNames: () => LocalNames,
): Completions {
  const typed = readTyped(flags, before)
  if (typed.open?.values) return completeValue(typed.open.values, '', localNames)
  const [, flag = '', value] = typed.ended ? [] : (/^--([^=]+)=(.*)$/s.exec(current) ?? [])
  if (value !== undefined) {
    const values = flags.find(({ name }) => name === flag)?.values
    return values ? completeValue(values, `--${flag}=`, localNames) : NOTHING
  }
  const left = [...flags.filter(({ name, multiple }) => multiple || !typed.names.has(name)), ...ANYWHERE]
  if (current.startsWith('-') && !typed.ended) return completions(flagsOf(left))
  const last = args.at(-1)
  const arg = args[typed.args.length] ?? (last?.multiple ? last : undefined)
  if (!arg) return completions(typed.ended ? [] : flagsOf(left))
  return completeValue(arg.values, '', localNames, typed.args.at(-1))
}

function readTyped(flags: readonly FlagData[], words: readonly string[]) {
  const names = new Set<string>()
  const args: string[] = []
  let open: FlagData | undefined
  let ended = false
  for (const word of words) {
    if (open) open = undefined
    else if (ended || !/^-./.test(word)) args.push(word)
    else if (word === '--') ended = true
    else {
      const { given, waiting } = flagsIn(flags, word)
      for (const { name } of given) names.add(name)
      open = waiting
    }
  }
  return { names, args, open, ended }
}

/** Reads `--gamemode`, `--gamemode=earth`, `-g`, `-gearth` or `-dg`. */
function flagsIn(flags: readonly FlagData[], word: string) {
  if (word.startsWith('--')) {
    const [name, value] = word.slice(2).split('=', 2)
    const given = flags.filter((flag) => flag.name === name)
    return { given, waiting: value === undefined ? given.find(({ values }) => values) : undefined }
  }
  const given: FlagData[] = []
  for (let index = 1; index < word.length; index += 1) {
    const flag = flags.find(({ char }) => char === word[index])
    if (!flag) break
    given.push(flag)
    if (flag.values) return { given, waiting: index === word.length - 1 ? flag : undefined }
  }
  return { given, waiting: undefined }
}

function completeValue(
  { words = [], local: kind, paths, byPrevious }: Values,
  prefix: string,
  localNames: () => LocalNames,
  previous?: string,
): Completions {
  const found = [
    ...(byPrevious && previous !== undefined && Object.hasOwn(byPrevious, previous)
      ? (byPrevious[previous] ?? [])
      : words),
    ...(kind ? localNames()[kind] : []),
  ]
  const candidates = found
    // A value that starts with a dash would be parsed as a flag, unless it follows "=".
    .filter(({ value }) => prefix !== '' || !value.startsWith('-'))
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
  return { candidates, paths, skip: prefix.length }
}

function flagsOf(flags: readonly FlagData[]): readonly Candidate[] {
  return flags.map(({ name, summary }) => ({ value: `--${name}`, description: summary }))
}

function completions(candidates: readonly Candidate[]): Completions {
  return { candidates, skip: 0 }
}

export interface BashLine {
  readonly words: readonly string[]
  /** The open quotation mark, and the number of characters of the last word before it. */
  readonly quote?: { readonly mark: string; readonly at: number } | undefined
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/** Expands no variables or command substitutions. bash also breaks words at `=` and `:`, without reporting where. */
export function parseBashLine(line: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let quote: { mark: string; at: number } | undefined
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index)
    const next = line.charAt(index + 1)
    if (char === '\\' && quote?.mark !== "'" && (!quote || /["$`\\]/.test(next))) {
      word = (word ?? '') + next
      index += 1
    } else if (quote) {
      if (char === quote.mark) quote = undefined
      else word += char
    } else if (char === '"' || char === "'") {
      word ??= ''
      quote = { mark: char, at: word.length }
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  words.push(word ?? '')
  const program = words.findIndex((each) => !ASSIGNMENT.test(each))
  return { words: words.slice(program + 1), quote }
}

// Needs no quotes in any shell. All valid names of profiles and players match.
const PLAIN = /^[\w.*-]{1,64}$/

/** Ignores a broken configuration: commands report it. */
export function readLocalNames(env: Env): LocalNames {
  const { current, profiles: all } = readProfiles(env)
  const profiles = all.filter(([name]) => PLAIN.test(name))
  const users = profiles.flatMap(([name, { user }]): readonly Candidate[] =>
    typeof user === 'string' && PLAIN.test(user) ? [{ value: user, description: `of profile ${name}` }] : [],
  )
  const selected = Object.fromEntries(all)[env.FISH_PROFILE || current]?.url
  const url = env.FISH_URL || (typeof selected === 'string' ? selected : DEFAULT_BASE_URL)
  return {
    profiles: profiles.map(([value, { url }]) => ({ value, description: printableAddress(url) })),
    users: [...new Map(users.map((user) => [user.value, user])).values()],
    gamemodes: knownGamemodes({ env }, url).map((value) => ({ value })),
  }
}

interface WrittenProfiles {
  readonly current: string
  readonly profiles: readonly (readonly [name: string, { readonly url?: unknown; readonly user?: unknown }])[]
}

function readProfiles(env: Env): WrittenProfiles {
  try {
    const { current, profiles } = JSON.parse(readFileSync(configPath({ env }), 'utf8'))
    return {
      current: String(current),
      profiles: Object.entries(profiles ?? {}).map(([name, profile]) => [name, Object(profile)]),
    }
  } catch {
    return { current: '', profiles: [] }
  }
}

function printableAddress(url: unknown): string | undefined {
  return typeof url === 'string' && /^https?:\/\/[!-?A-~]+$/.test(url) ? url : undefined
}
