import type { Interfaces } from '@oclif/core'
import { type Candidate, type Command, type CommandList, globalFlags, type Values } from '../kit/define.ts'
import { SHARED_COMPLETION } from '../kit/flags.ts'
import type { CompletionData, FlagData, WordData } from './completion.ts'
import { MORE_PAGES } from './help.ts'

const HELP: FlagData = { name: 'help', summary: 'Show help.' }
const VERSION: FlagData = { name: 'version', summary: 'Show the version.' }
const MORE_WORDS: readonly Candidate[] = [
  { value: 'help', description: 'Show help of a command.' },
  { value: 'version', description: 'Show the version.' },
]

/** Describes all commands. The build saves the description, so that completion does not load any command. */
export async function describeCommands({ load, topics }: CommandList): Promise<CompletionData> {
  const commands = Object.entries(await load())
  const pages = [...Object.entries(topics), ...commands.map(([id, { summary }]) => [id, summary] as const)]
  const wordsAfter = (start: string) =>
    pages
      .filter(([id]) => id.startsWith(start) && !id.slice(start.length).includes(':'))
      .map(([id, description]) => ({ value: id.slice(start.length), description }))
  const data: Record<string, WordData> = {
    '': { flags: [HELP, VERSION], args: [{ values: { words: [...wordsAfter(''), ...MORE_WORDS] } }] },
    help: { flags: [], args: [{ values: { words: [...wordsAfter(''), ...MORE_PAGES] } }] },
  }
  for (const topic of Object.keys(topics)) {
    const args = [{ values: { words: wordsAfter(`${topic}:`) } }]
    data[topic] = { flags: [HELP], args }
    data[`help:${topic}`] = { flags: [], args }
  }
  for (const [id, command] of commands) data[id] = await describeCommand(command)
  return data
}

async function describeCommand(command: Command): Promise<WordData> {
  const flags: Interfaces.FlagInput = { ...command.flags, ...globalFlags }
  const shown = Object.entries(flags).filter(([, { hidden }]) => !hidden)
  const flagData = shown.map(async ([name, flag]): Promise<FlagData> => {
    const { char, summary } = flag
    if (flag.type === 'boolean') return { name, char, summary }
    return { name, char, summary, values: await valuesOf(command, name) }
  })
  const args = Object.entries(command.args).map(async ([name, { multiple }]) => ({
    values: await valuesOf(command, name),
    multiple,
  }))
  return { flags: [...(await Promise.all(flagData)), HELP], args: await Promise.all(args) }
}

async function valuesOf({ completion }: Command, name: string): Promise<Values> {
  const values = completion[name] ?? SHARED_COMPLETION[name]
  return typeof values === 'function' ? values() : (values ?? {})
}
