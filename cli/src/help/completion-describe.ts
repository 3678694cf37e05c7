import { commandIds, loadCommands, topics } from '../commands/index.ts'
import type { ArgData, CommandData, CompletionData, FlagData } from './completion-data.ts'
import { EXIT_CODES_PAGE } from './exit-codes.ts'
import { knownFields } from './known-fields.ts'
import { type Described, valuesOf } from './value-rules.ts'

// What oclif's classes say of themselves, as far as it matters here.
interface ClassWords {
  readonly hidden?: boolean
  readonly summary?: string
  readonly flags?: Readonly<Record<string, DefinedFlag>>
  readonly baseFlags?: Readonly<Record<string, DefinedFlag>>
  readonly args?: Readonly<Record<string, DefinedArg>>
}

interface DefinedFlag {
  readonly type: 'boolean' | 'option'
  readonly hidden?: boolean
  readonly char?: string
  readonly summary?: string
  readonly helpValue?: string | readonly string[]
  readonly options?: readonly string[]
  readonly multiple?: boolean
}

interface DefinedArg {
  readonly hidden?: boolean
  readonly description?: string
  readonly options?: readonly string[]
  readonly multiple?: boolean
}

/** Writes down all that completion has to know, from the classes of the commands. What is hidden is left out. */
export async function describeCommands(): Promise<CompletionData> {
  const described = await Promise.all(
    Object.entries(await loadCommands(commandIds())).map(async ([id, Type]) => {
      const words = Type as unknown as ClassWords
      return words.hidden ? [] : [[id, await describeCommand(id, words)] as const]
    }),
  )
  return {
    commands: Object.fromEntries(described.flat()),
    topics: Object.fromEntries(Object.entries(topics()).map(([word, { description }]) => [word, description])),
    pages: [{ value: EXIT_CODES_PAGE, description: 'What the exit status says.' }],
  }
}

async function describeCommand(id: string, words: ClassWords): Promise<CommandData> {
  const defined = { ...words.flags, ...words.baseFlags }
  const args = Object.entries(words.args ?? {})
  const flagsWith = (fields?: readonly string[]) =>
    Object.entries(defined).flatMap(([name, flag]) => (flag.hidden ? [] : [describeFlag({ id, name, fields }, flag)]))
  const named = Object.fromEntries(args.map(([name, arg]) => [name, describeArg({ id, name }, arg)]))
  const fields = 'fields' in defined ? await knownFields(id, { flags: flagsWith(), args: named }) : undefined
  return {
    summary: words.summary,
    flags: flagsWith(fields),
    args: args.flatMap(([name, { hidden }]) => (hidden ? [] : [named[name] ?? { values: {} }])),
  }
}

function describeFlag(about: Described, { type, char, summary, helpValue, options, multiple }: DefinedFlag): FlagData {
  const shown = typeof helpValue === 'string' ? helpValue : undefined
  const values = type === 'option' ? valuesOf({ ...about, shown, text: summary, options }) : undefined
  return { name: about.name, char, summary, values, multiple: multiple || undefined }
}

function describeArg(about: Described, { description, options, multiple }: DefinedArg): ArgData {
  return { values: valuesOf({ ...about, text: description, options }), multiple: multiple || undefined }
}
