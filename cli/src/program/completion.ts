import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_BASE_URL } from '@fish-crab/sdk/constants'
import { isShell, LINE_VARIABLE, type Shell } from '../commands/account/shells.ts'
import { findPage } from '../core/argv.ts'
import type { Env } from '../core/system.ts'
import type { Candidate, Values } from '../kit/define.ts'
import { knownGamemodes } from '../session/gamemodes.ts'
import { readConfig } from '../session/profiles.ts'

export const DATA_FILE = 'completion.json'

const STDOUT = 1

export type LocalNames = Readonly<Record<NonNullable<Values['local']>, readonly Candidate[]>>

export interface FlagData {
  readonly name: string
  readonly char?: string | undefined
  readonly summary?: string | undefined
  /** Present if the flag takes a value. */
  readonly values?: Values | undefined
}

export interface WordData {
  readonly flags: readonly FlagData[]
  /** With `multiple`, the values also apply to all further arguments. */
  readonly args: readonly { readonly values: Values; readonly multiple?: boolean | undefined }[]
}

/**
 * Completions by the id of a command, topic or page of help (`:` for the space between words). The empty id is the
 * program.
 */
export type CompletionData = Readonly<Record<string, WordData>>

export interface Completions {
  /** Each shell filters the candidates by the current word in its own way. */
  readonly candidates: readonly Candidate[]
  /** The kind of path that the word may be. The shell completes the path itself. */
  readonly paths?: Values['paths']
}

/** Prints the reply for a shell. Ignores all errors, because messages would disturb the command line. */
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

/**
 * Returns lines: first the kind of value, then the candidates. The kind is `words`, or `files` or `folders`, which the
 * shell completes.
 */
export function completionReply(shell: Shell, env: Env, data: CompletionData, localNames: () => LocalNames): string {
  const words = wordsOf(env[LINE_VARIABLE] ?? '')
  const { candidates, paths = 'words' } = complete(words, data, localNames)
  // zsh and fish filter the candidates themselves, by the user's settings.
  const typed = shell === 'bash' || shell === 'powershell' ? (words.at(-1) ?? '').toLowerCase() : ''
  const lines = candidates
    .filter(({ value }) => value.toLowerCase().startsWith(typed))
    .map(({ value, description }) =>
      description === undefined || shell === 'bash' ? value : `${value}\t${description}`,
    )
  return `${[paths, ...lines].join('\n')}\n`
}

/** Returns the words after the name of the program, without quotes or expansion. The last word may be empty. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:\\.|"[^"]*"?|'[^']*'?|\S)+|(?<=\s)$/gs) ?? []
  return words.slice(1).map((word) => word.replace(/\\(.)|["']/gs, '$1'))
}

/** Completes the last word. Calls `localNames` only if needed. */
export function complete(words: readonly string[], data: CompletionData, localNames: () => LocalNames): Completions {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const id = findPage(before, { has: (each) => Object.hasOwn(data, each) })
  const { flags = [], args = [] } = id === undefined ? {} : (data[id] ?? {})
  const typed = before.slice(id?.split(':').filter(Boolean).length)
  const valuesOf = (word = '') => flags.find(({ name, char }) => word === `--${name}` || word === `-${char}`)?.values
  const open = valuesOf(typed.at(-1))
  const [prefix = '', flag] = /^(--[^=]+)=/.exec(current) ?? []
  const position = typed.filter((word, index) => !/^-./.test(word) && !valuesOf(typed[index - 1])).length
  const arg = args[position] ?? (args.at(-1)?.multiple ? args.at(-1) : undefined)
  const isFlag = current.startsWith('-') || !arg
  if (!open && !flag && isFlag) {
    return { candidates: flags.map(({ name, summary }) => ({ value: `--${name}`, description: summary })) }
  }
  const { words: fixed = [], local, paths } = open ?? (flag ? valuesOf(flag) : arg?.values) ?? {}
  const candidates = [...fixed, ...(local ? localNames()[local] : [])]
    // A value that starts with a dash would be parsed as a flag, unless it follows "=".
    .filter(({ value }) => prefix !== '' || !value.startsWith('-'))
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
  return { candidates, paths }
}

/** Reads the names in the configuration of the user. Throws if the configuration is invalid. */
export function readLocalNames(env: Env): LocalNames {
  const { profiles, current } = readConfig({ env })
  const url = env.FISH_URL || profiles.get(env.FISH_PROFILE || current || '')?.url || DEFAULT_BASE_URL
  // Keeps names that need no quotes in a shell, and names with `*`.
  const users = [...profiles.values()].map(({ user = '' }) => user).filter((user) => /^[\w.*-]+$/.test(user))
  return {
    profiles: [...profiles].map(([value, profile]) => ({ value, description: profile.url })),
    users: [...new Set(users)].map((value) => ({ value })),
    gamemodes: knownGamemodes({ env }, url).map((value) => ({ value })),
  }
}
