import type { Command as OclifCommand } from '@oclif/core'
import { Config, Plugin } from '@oclif/core/config'
import { CommandHelp, Help } from '@oclif/core/help'
import type { Context } from '../core/context.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { type Command, type CommandList, globalFlags } from '../kit/define.ts'
import type { Column } from '../output/columns.ts'
import { useColours } from '../output/screen.ts'
import { renderTable } from '../output/table.ts'
import { PACKAGE_ROOT, readManifest } from '../package.ts'
import { closestCommand, didYouMean } from './closest.ts'
import { findPage } from './static-pages.ts'

class CliHelp extends Help {
  text = ''
  readonly #commands: CommandList
  protected override readonly CommandHelpClass = FishCommandHelp

  constructor(config: Config, commands: CommandList, { stripAnsi }: { stripAnsi: boolean }) {
    super(config, { stripAnsi })
    this.#commands = commands
  }

  protected override log(...lines: string[]): void {
    this.text += `${lines.join(' ')}\n`
  }

  protected override async showRootHelp(): Promise<void> {
    const { bin, pjson } = this.config
    const summaryOf = (id: string) => this.config.findCommand(id)?.summary ?? ''
    const sections = [
      this.wrap(`${pjson.description}.`, 0),
      this.section('USAGE', [`$ ${bin} COMMAND [FLAGS]`, `$ ${bin} COMMAND --help`].join('\n')),
      this.section('START HERE', this.#list(FIRST_STEPS.map(([command, what]) => [`$ ${command}`, what]))),
      ...this.#commands.groups.map((group) =>
        this.section(`FOR ${group.name.toUpperCase()}`, this.#list(linesOf(group, this.#commands.topics, summaryOf))),
      ),
      this.section(
        'MORE',
        this.#list([
          [`${bin} COMMAND --help`, 'flags and examples of a command'],
          [`${bin} help ${EXIT_CODES_PAGE}`, 'exit codes'],
        ]),
      ),
    ]
    this.log(sections.join('\n\n'))
  }

  #list(lines: readonly HelpLine[]): string {
    return this.renderList([...lines], { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false })
  }
}

export async function showHelp(commands: CommandList, words: readonly string[], context: Context): Promise<number> {
  // Former names of commands have no page of their own.
  const id = findPage(words, new Set(helpPageIds(commands))) ?? commands.find(words)?.id
  if (id === undefined) throw noSuchPage(commands, words)
  const colours = useColours(context.env, context.stdout)
  if (id === EXIT_CODES_PAGE) {
    context.stdout.write(exitCodesPage(colours))
    return EXIT.ok
  }
  // A command that is also a topic lists its subcommands.
  const needed = id === '' ? undefined : commands.ids.filter((each) => each === id || each.startsWith(`${id}:`))
  const config = await openConfig(commands, needed)
  const help = new CliHelp(config, commands, { stripAnsi: !colours })
  await help.showHelp(id === '' ? [] : id.split(':'))
  context.stdout.write(help.text)
  return EXIT.ok
}

export function helpPageIds({ ids, topics }: CommandList): readonly string[] {
  return ['', ...new Set([...ids, ...Object.keys(topics), EXIT_CODES_PAGE])]
}

function noSuchPage({ ids }: CommandList, words: readonly string[]): Error {
  const meant = closestCommand(words, [...ids, EXIT_CODES_PAGE])
  return usageError('Unknown command.', didYouMean(meant && `help ${meant}`))
}

// Parts of a synopsis that stay on one line: a word, or brackets with their content.
const ELEMENT = /\[[^\]]*\]|\S+/g
const INDENT = 2
const GLOBAL_ELEMENTS = ['[--no-color]', '[--json]']

/** The usage breaks only between flags, and the summary appears once. */
export class FishCommandHelp extends CommandHelp {
  /** The elements stay in one line. */
  synopsis(): { readonly words: string; readonly elements: readonly string[] } {
    const words = this.command.id.replaceAll(':', ' ')
    const usage = this.defaultUsage().replace('<%= command.id %>', '').trim()
    const elements = usage.match(ELEMENT) ?? []
    // Flags of every command come last.
    const isGlobal = (element: string) => GLOBAL_ELEMENTS.includes(element)
    return { words, elements: [...elements.filter((each) => !isGlobal(each)), ...GLOBAL_ELEMENTS] }
  }

  protected override usage(): string {
    const { words, elements } = this.synopsis()
    const width = this.opts.maxWidth - INDENT
    const lines = [`$ ${this.config.bin} ${words}`]
    for (const element of elements) {
      const line = `${lines.at(-1)} ${element}`
      if (line.length <= width) lines.splice(-1, 1, line)
      else lines.push(`${' '.repeat(INDENT)}${element}`)
    }
    return lines.join('\n')
  }

  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined || description === '' ? undefined : this.wrap(description)
  }

  override generate(): string {
    const more = `${this.config.bin} help ${EXIT_CODES_PAGE}`
    return `${super.generate()}\n\n${this.section('EXIT STATUS', this.wrap(`0 on success. All exit codes: ${more}`))}`
  }
}

type HelpLine = [left: string, right: string]

const FIRST_STEPS: readonly HelpLine[] = [
  ['fish-cli demo', 'try it without a server or an account'],
  ['fish-cli login Alex --url URL -g earth', 'log in once and store your key'],
  ['fish-cli add Salmon -r gold', 'add a fish'],
  ['fish-cli list', 'show your collection'],
  ['fish-cli watch', 'add your catches while you play'],
]

function linesOf(
  { ids }: CommandList['groups'][number],
  topics: CommandList['topics'],
  summaryOf: (id: string) => string,
): readonly HelpLine[] {
  return [...new Set(ids.map((id) => id.replace(/:.*/, '')))].map((word) => {
    const verbs = ids.flatMap((id) => (id.startsWith(`${word}:`) ? [id.slice(word.length + 1)] : []))
    return [word, verbs.length === 0 ? summaryOf(word) : `${topics[word]}: ${verbs.join(', ')}`]
  })
}

export async function openConfig(commands: CommandList, ids?: readonly string[]): Promise<Config> {
  const manifest = readManifest()
  const topics = Object.fromEntries(
    Object.entries(commands.topics).map(([word, description]) => [word, { description }]),
  )
  const pjson = { ...manifest, oclif: { ...manifest.oclif, topics } }
  const plugin = new Plugin({ root: PACKAGE_ROOT, pjson, isRoot: true, ignoreManifest: true })
  await plugin.load()
  plugin.commands = Object.entries(await commands.load(ids)).map(([id, command]) => describeForHelp(id, command))
  return Config.load({ root: PACKAGE_ROOT, pjson, plugins: new Map([[plugin.name, plugin]]) })
}

function describeForHelp(id: string, { summary, description, examples, args, flags }: Command): OclifCommand.Loadable {
  return {
    id,
    summary,
    description,
    examples: [...examples],
    args: withNames(args),
    flags: withNames({ ...globalFlags, ...flags }),
    aliases: [],
    hiddenAliases: [],
    hidden: false,
    load: () => Promise.reject(new Error('FishCommandHelp only renders help; use runCli to run commands.')),
  }
}

function withNames<Value extends object>(
  values: Readonly<Record<string, Value>>,
): Record<string, Value & { name: string }> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { ...value, name }]))
}

/** The README has the same table. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  failure: 'failure: a server error, not a Fish and Crab service, or a declined confirmation',
  usage: 'invalid command line, or rejected by the service as invalid',
  credentials: 'credentials missing, wrong, not sufficient, or of another player',
  notFound: 'not found',
  conflict: 'conflict: already exists or in use, such as a file that would be overwritten',
  partly: 'partly done',
  unreachable: 'the service, its storage or a proxy is unreachable',
  rateLimited: 'rate limited for longer than the maximum wait; retryAt is the end',
  interrupted: 'interrupted',
}

export const EXIT_CODES_PAGE = 'exit-codes'

function exitCodesPage(colours: boolean): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => ({
    exit: EXIT[name as keyof typeof EXIT],
    meaning,
  }))
  const columns: readonly Column<(typeof rows)[number]>[] = [{ field: 'exit', align: 'right' }, { field: 'meaning' }]
  const table = renderTable(rows, columns, { colours, unicode: true, width: undefined })
  return `Exit codes of all commands ($? in a shell):\n\n${table}\n\nWith --json, the error also contains it as error.exit.\n`
}
