import type { Command } from '@oclif/core'
import { outputFlags, serviceFlags } from '../src/commands/flags.ts'
import { AUDIENCES, commandIds, commandsOf, topics } from '../src/commands/index.ts'
import { FishCommandHelp, openConfig } from '../src/help/help.ts'

/** One flag, as it is documented. */
export interface FlagPage {
  readonly name: string
  readonly char: string | undefined
  /** What its value is called; `undefined` where it takes none. */
  readonly value: string | undefined
  readonly summary: string
  readonly fallback: string | undefined
  readonly required: boolean
  /** Which flags it is one of: those of this command, or those that many commands share. */
  readonly group: 'own' | 'service' | 'output' | 'global'
}

/** One command line that shows how a command is used. */
export interface ExamplePage {
  readonly description: string | undefined
  readonly command: string
}

/** All that is documented of one command. */
export interface CommandPage {
  readonly id: string
  /** As it is typed: `fish-cli user create`. */
  readonly title: string
  readonly audience: string
  readonly summary: string
  /** Paragraphs, each of lines that are to stay lines. */
  readonly description: readonly (readonly string[])[]
  /** Arguments and flags in the order of the usage, each to be kept in one line. */
  readonly synopsis: readonly string[]
  readonly args: readonly { readonly label: string; readonly description: string }[]
  readonly flags: readonly FlagPage[]
  readonly examples: readonly ExamplePage[]
}

/** A word that begins commands of two words. */
export interface TopicPage {
  readonly word: string
  readonly summary: string
}

/** What a page of help is made from, of every command, those of each audience together. */
export async function commandPages(): Promise<readonly CommandPage[]> {
  const config = await openConfig()
  const ids = commandIds()
  const pages = AUDIENCES.flatMap((audience) =>
    commandsOf(audience, ids).map((id) => {
      const command = config.findCommand(id, { must: true })
      const { elements } = new FishCommandHelp(command, config, { maxWidth: 80 }).synopsis()
      return pageOf(command, audience.name, elements)
    }),
  )
  const missing = ids.filter((id) => !pages.some((page) => page.id === id))
  if (missing.length > 0) throw new Error(`src/commands/index.ts does not say who uses ${missing.join(', ')}.`)
  return pages
}

/** Every topic that is no command itself. */
export function topicPages(): readonly TopicPage[] {
  const ids = commandIds()
  return Object.entries(topics()).flatMap(([word, { description }]) =>
    ids.includes(word) ? [] : [{ word, summary: description }],
  )
}

function pageOf(command: Command.Loadable, audience: string, synopsis: readonly string[]): CommandPage {
  const { id, summary = '', description = '', args, flags, examples = [] } = command
  return {
    id,
    title: `fish-cli ${id.replaceAll(':', ' ')}`,
    audience,
    summary: filled(summary),
    description: paragraphs(filled(description)),
    synopsis,
    args: Object.values(args).map(({ name, required, multiple, description: text = '' }) => {
      const label = `${name.toUpperCase()}${multiple ? '...' : ''}`
      return { label: required ? label : `[${label}]`, description: text }
    }),
    flags: Object.entries(flags)
      .filter(([, { hidden }]) => !hidden)
      .map(([name, flag]) => flagPage(name, flag))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    examples: (Array.isArray(examples) ? examples : [examples]).map((example) =>
      typeof example === 'string'
        ? { description: undefined, command: filled(example) }
        : { description: filled(example.description), command: filled(example.command) },
    ),
  }
}

function paragraphs(text: string): readonly (readonly string[])[] {
  return text === '' ? [] : text.split(/\n{2,}/).map((paragraph) => paragraph.split('\n'))
}

function flagPage(name: string, flag: Command.Flag.Cached): FlagPage {
  const isOption = flag.type === 'option'
  const { helpValue = 'VALUE', multiple = false } = isOption ? flag : {}
  const summary = filled(flag.summary ?? flag.description ?? '')
  return {
    name,
    char: flag.char,
    value: isOption ? `${[helpValue].flat().join(' ')}${multiple ? '...' : ''}` : undefined,
    summary,
    fallback: isOption && typeof flag.default === 'string' ? flag.default : undefined,
    required: flag.required === true,
    group: groupOf(name, summary, flag.helpGroup),
  }
}

// A flag of the same name that means something else to a command is that command's own.
function groupOf(name: string, summary: string, helpGroup: string | undefined): FlagPage['group'] {
  if (helpGroup === 'GLOBAL') return 'global'
  const isOf = (shared: Readonly<Record<string, { readonly summary?: string | undefined }>>) =>
    shared[name]?.summary === summary
  if (isOf(outputFlags)) return 'output'
  return isOf(serviceFlags) ? 'service' : 'own'
}

// What oclif fills in when it shows a text.
function filled(text: string): string {
  return text.replaceAll('<%= config.bin %>', 'fish-cli')
}
