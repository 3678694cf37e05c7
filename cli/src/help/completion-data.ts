import type { Interfaces } from '@oclif/core'
import { type Candidate, type Command, type CommandList, globalFlags, type Values } from '../kit/define.ts'
import { SHARED_COMPLETION } from '../kit/flags.ts'
import { EXIT_CODES_PAGE } from './help.ts'

export interface LocalNames {
  readonly profiles: readonly Candidate[]
  readonly users: readonly Candidate[]
  readonly gamemodes: readonly Candidate[]
}

export interface FlagData {
  readonly name: string
  readonly char?: string | undefined
  readonly summary?: string | undefined
  /** Present if it takes a value. */
  readonly values?: Values | undefined
  readonly multiple?: boolean | undefined
}

export interface CommandData {
  readonly summary?: string | undefined
  readonly flags: readonly FlagData[]
  /** With `multiple`, all further arguments are of its kind. */
  readonly args: readonly { readonly values: Values; readonly multiple?: boolean | undefined }[]
}

/** Written by the build, so that no command is loaded to complete a line. */
export interface CompletionData {
  /** By id; `:` stands for the space between words. */
  readonly commands: Readonly<Record<string, CommandData>>
  readonly topics: Readonly<Record<string, string>>
  /** Further pages of `help`. */
  readonly pages: readonly Candidate[]
}

export interface Completions {
  /** Not filtered by the current word: each shell matches in its own way. */
  readonly candidates: readonly Candidate[]
  /** Paths that the shell completes itself. */
  readonly paths?: 'files' | 'folders' | undefined
  /** Number of characters of the current word before that path, such as `--file=`. */
  readonly skip: number
}

export async function describeCommands({ load, topics }: CommandList): Promise<CompletionData> {
  const commands = Object.entries(await load()).map(
    async ([id, command]) => [id, await describeCommand(command)] as const,
  )
  return {
    commands: Object.fromEntries(await Promise.all(commands)),
    topics,
    pages: [{ value: EXIT_CODES_PAGE, description: 'Exit codes.' }],
  }
}

async function describeCommand(command: Command): Promise<CommandData> {
  const { summary, args } = command
  const flags: Interfaces.FlagInput = { ...command.flags, ...globalFlags }
  const flagData = Object.entries(flags).map(async ([name, flag]): Promise<readonly FlagData[]> => {
    const { char, summary } = flag
    if (flag.hidden) return []
    if (flag.type === 'boolean') return [{ name, char, summary }]
    return [{ name, char, summary, values: await valuesOf(command, name), multiple: flag.multiple || undefined }]
  })
  const argData = Object.entries(args).map(async ([name, { multiple }]) => {
    return { values: await valuesOf(command, name), multiple: multiple || undefined }
  })
  return { summary, flags: (await Promise.all(flagData)).flat(), args: await Promise.all(argData) }
}

async function valuesOf({ completion }: Command, name: string): Promise<Values> {
  const values = completion[name] ?? SHARED_COMPLETION[name]
  return typeof values === 'function' ? values() : (values ?? {})
}
