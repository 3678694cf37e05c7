import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_BASE_URL } from '@fish-crab/sdk/constants'
import { EMPTY_CONFIG, readConfig } from '../config/config-file.ts'
import { knownGamemodes } from '../config/gamemodes.ts'
import type { Config, Env } from '../core/context.ts'
import { isShell, LINE_VARIABLE, type Shell } from '../core/shells.ts'
import type { Candidate, Values } from '../kit/define.ts'
import { findPage } from './static-pages.ts'

export const DATA_FILE = 'completion.json'

const STDOUT = 1

export type LocalNames = Readonly<Record<NonNullable<Values['local']>, readonly Candidate[]>>

export interface FlagData {
  readonly name: string
  readonly char?: string | undefined
  readonly summary?: string | undefined
  /** Present if it takes a value. */
  readonly values?: Values | undefined
  readonly multiple?: boolean | undefined
}

export interface WordData {
  readonly flags: readonly FlagData[]
  /** With `multiple`, all further arguments are of its kind. */
  readonly args: readonly { readonly values: Values; readonly multiple?: boolean | undefined }[]
}

/** By id of a command, topic or page of help (`:` for the space between words); the empty one is the program. */
export type CompletionData = Readonly<Record<string, WordData>>

/** Ignores all errors, which would disturb the command line. */
export function printCompletions(shell: string | undefined, root: string): void {
  try {
    if (!isShell(shell)) return
    const data = JSON.parse(readFileSync(join(root, 'dist', DATA_FILE), 'utf8'))
    writeFileSync(
      STDOUT,
      completionReply(shell, process.env, data, () => readLocalNames(process.env)),
    )
  } catch {}
}

/** The kind of value (`words`, or `files` or `folders`, which the shell completes), then the candidates. */
export function completionReply(shell: Shell, env: Env, data: CompletionData, localNames: () => LocalNames): string {
  const words = wordsOf(env[LINE_VARIABLE] ?? '')
  const { candidates, paths = 'words' } = complete(words, data, localNames)
  // zsh and fish match by the user's own settings.
  const isFiltered = shell === 'bash' || shell === 'powershell'
  const lines = (isFiltered ? matching(candidates, words.at(-1) ?? '') : candidates).map(({ value, description }) =>
    description === undefined || shell === 'bash' ? value : `${value}\t${description}`,
  )
  return `${[paths, ...lines].join('\n')}\n`
}

/** The words after the program, without quotes; the last one may be empty. Expands nothing. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:\\.|"[^"]*"?|'[^']*'?|\S)+|(?<=\s)$/gs) ?? []
  return words.slice(1).map((word) => word.replace(/\\(.)|["']/gs, '$1'))
}

/** Ignores case only if no candidate matches exactly. */
function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const exact = candidates.filter(({ value }) => value.startsWith(typed))
  if (exact.length > 0) return exact
  return candidates.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
}

/** Completes the last of the words. Calls `localNames` only where needed. */
export function complete(words: readonly string[], data: CompletionData, localNames: () => LocalNames) {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const id = findPage(before, { has: (each) => Object.hasOwn(data, each) })
  const { flags, args } = (id === undefined ? undefined : data[id]) ?? { flags: [], args: [] }
  const typed = before.slice(id?.split(':').filter(Boolean).length)
  const takesNext = (word = '') =>
    flags.find((flag) => flag.values && [`--${flag.name}`, `-${flag.char}`].includes(word))
  const ofValues = ({ words: fixed = [], local, paths }: Values, prefix = '') => {
    const candidates = [...fixed, ...(local ? localNames()[local] : [])]
      // A value that starts with a dash would be parsed as a flag, unless it follows "=".
      .filter(({ value }) => prefix !== '' || !value.startsWith('-'))
      .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
    return { candidates, paths }
  }
  const open = takesNext(typed.at(-1))
  if (open?.values) return ofValues(open.values)
  const [prefix = '', name] = /^(--[^=]+)=/.exec(current) ?? []
  if (name !== undefined) return ofValues(takesNext(name)?.values ?? {}, prefix)
  const position = typed.filter((word, index) => !/^-./.test(word) && !takesNext(typed[index - 1])).length
  const arg = args[position] ?? (args.at(-1)?.multiple ? args.at(-1) : undefined)
  if (arg && !current.startsWith('-')) return ofValues(arg.values)
  return ofFlags(flags.filter((flag) => flag.multiple || !typed.some((word) => isFlag(flag, word))))
}

function isFlag({ name, char }: FlagData, word: string): boolean {
  return word === `--${name}` || word.startsWith(`--${name}=`) || word === `-${char}`
}

function ofFlags(flags: readonly FlagData[]): { candidates: readonly Candidate[]; paths?: undefined } {
  return { candidates: flags.map(({ name, summary }) => ({ value: `--${name}`, description: summary })) }
}

/** Ignores a broken configuration: commands report it. */
export function readLocalNames(env: Env): LocalNames {
  const { profiles, current } = readQuietly(env)
  const url = env.FISH_URL || profiles.get(env.FISH_PROFILE || current || '')?.url || DEFAULT_BASE_URL
  // Nothing that a shell would have to quote, except `*`.
  const users = [...profiles.values()].map(({ user = '' }) => user).filter((user) => /^[\w.*-]+$/.test(user))
  return {
    profiles: [...profiles].map(([value, profile]) => ({ value, description: profile.url })),
    users: [...new Set(users)].map((value) => ({ value })),
    gamemodes: knownGamemodes({ env }, url).map((value) => ({ value })),
  }
}

function readQuietly(env: Env): Config {
  try {
    return readConfig({ env })
  } catch {
    return EMPTY_CONFIG
  }
}
