import type { Command as OclifCommand } from '@oclif/core'
import { Config } from '@oclif/core/config'
import { CommandHelp, Help } from '@oclif/core/help'
import { findPage } from '../core/argv.ts'
import { EXIT } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { type Candidate, type Command, type CommandList, globalFlags } from '../kit/define.ts'
import { outputFlags, serviceFlags } from '../kit/flags.ts'
import { PACKAGE_ROOT, readManifest } from '../package.ts'
import { screenOf, useColours } from '../terminal/screen.ts'
import { type Column, renderTable } from '../terminal/table.ts'
import { renderLines, wrapMessage } from '../terminal/text.ts'
import { unknownCommand } from './closest.ts'

const BIN = 'fish-cli'
const SUPPORT = `See docs/index.md and docs/SUPPORT.md in the repository of this project.
To find common problems: ${BIN} doctor`
const EXIT_CODES_PAGE = 'exit-codes'
const FLAGS_PAGE = 'flags'

/** Pages that do not describe a command. */
export const MORE_PAGES: readonly Candidate[] = [
  { value: FLAGS_PAGE, description: 'Flags of all commands.' },
  { value: EXIT_CODES_PAGE, description: 'Exit codes.' },
]

type Arg = Pick<OclifCommand.Arg.Any, 'required' | 'multiple'>
type Commands = Readonly<Record<string, Command>>
type Flag = OclifCommand.Flag.Any

const MAX_WIDTH = 80
const MIN_WIDTH = 40
/** On narrower terminals, descriptions are below the names. */
const MIN_TABLE_WIDTH = 60

type ListOptions = Parameters<Help['renderList']>[1]

/** oclif indents lists by 2 more cells than it subtracts from the width, so that lists exceed narrow terminals. */
function listOptions(options: ListOptions, width: number): ListOptions {
  return width < MAX_WIDTH ? { ...options, indentation: 4, multiline: width < MIN_TABLE_WIDTH } : options
}

/** Commands are not split, so that users can paste commands from a narrow terminal. */
function isCommand(text: string): boolean {
  return text.startsWith('$ ')
}

/** Renders a command from its data. oclif's own `Help` would need a loaded `Config` with plugins. */
class CliHelp extends Help {
  protected override readonly CommandHelpClass = FishCommandHelp

  constructor(opts: { stripAnsi: boolean; maxWidth: number }) {
    super(Object.assign(new Config({ root: PACKAGE_ROOT }), { bin: BIN, topicSeparator: ' ' as const }), opts)
  }

  override renderList(lines: (string | undefined)[][], options: ListOptions): string {
    return super.renderList(lines, listOptions(options, this.opts.maxWidth ?? MAX_WIDTH))
  }

  override wrap(body: string, spacing?: number): string {
    return isCommand(body) ? body : super.wrap(body, spacing)
  }

  page(id: string, list: CommandList, commands: Commands): string {
    const command = commands[id]
    const topic = list.topics[id]
    if (id === '') return this.#rootPage(list, commands)
    if (id === FLAGS_PAGE) return this.#flagsPage()
    if (command) return `${this.wrap(command.summary, 0)}\n\n${this.formatCommand(describeForHelp(id, command))}`
    const verbs = Object.entries(commands).map(([each, verb]) => describeForHelp(each, verb))
    return `${this.formatTopic({ name: id, description: topic })}\n${this.formatCommands(verbs)}`
  }

  #rootPage({ groups, topics }: CommandList, commands: Commands): string {
    return [
      this.wrap(`${readManifest().description}.`, 0),
      this.section('USAGE', [`$ ${BIN} COMMAND [FLAGS]`, `$ ${BIN} COMMAND --help`].join('\n')),
      this.section('START HERE', this.#list(FIRST_STEPS.map(([command, what]) => [`$ ${command}`, what]))),
      ...groups.map((group) =>
        this.section(`FOR ${group.name.toUpperCase()}`, this.#list(linesOf(group, topics, commands))),
      ),
      this.section(
        'MORE',
        this.#list([
          [`${BIN} COMMAND --help`, 'flags and examples of a command'],
          [`${BIN} help ${FLAGS_PAGE}`, 'flags of all commands'],
          [`${BIN} help ${EXIT_CODES_PAGE}`, 'exit codes'],
        ]),
      ),
      this.section('DOCUMENTATION AND SUPPORT', this.wrap(SUPPORT)),
    ].join('\n\n')
  }

  #flagsPage(): string {
    const flags = Object.entries({ ...serviceFlags, ...outputFlags, ...globalFlags })
    const lines = flags.map(([name, flag]): HelpLine => [flagLabel({ ...flag, name }), flag.summary ?? ''])
    const intro =
      'These flags have the same meaning in every command. The help of a command lists the flags that the command accepts.'
    return `${this.wrap(intro, 0)}\n\n${this.section('GLOBAL FLAGS', this.#list([...lines, ['-h, --help', 'Show help.']]))}`
  }

  #list(lines: readonly HelpLine[]): string {
    return this.renderList([...lines], { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false })
  }
}

/** Shows examples first, and only the names of the flags that {@link FLAGS_PAGE} explains. */
class FishCommandHelp extends CommandHelp {
  override renderList(lines: (string | undefined)[][], options: ListOptions): string {
    return super.renderList(lines, listOptions(options, this.opts.maxWidth ?? MAX_WIDTH))
  }

  override wrap(body: string, spacing?: number): string {
    return isCommand(body) ? body : super.wrap(body, spacing)
  }

  protected override usage(): string {
    return `$ ${usageOf(this.command.id, this.command.args)}`
  }

  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined ? undefined : this.wrap(description)
  }

  protected override groupFlags(flags: Flag[]) {
    return { mainFlags: flags.filter((flag) => flag.helpGroup === undefined), flagGroups: {} }
  }

  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections()
    const order = ['USAGE', 'EXAMPLES', 'DESCRIPTION', 'ARGUMENTS', 'FLAGS']
    return [
      ...order.flatMap((header) => sections.filter((section) => section.header === header)),
      { header: 'GLOBAL FLAGS', generate: ({ flags }) => this.wrap(globalLine(flags)) },
      { header: 'EXIT STATUS', generate: () => this.wrap(`0 on success. See: ${BIN} help ${EXIT_CODES_PAGE}`) },
    ]
  }
}

function globalLine(flags: readonly Flag[]): string {
  const labels = flags.filter(({ helpGroup }) => helpGroup !== undefined).map(flagLabel)
  return `${[...labels, '--help'].join(', ')}\nSee: ${BIN} help ${FLAGS_PAGE}`
}

function flagLabel({ name, helpValue }: Pick<Flag, 'name'> & { readonly helpValue?: string | string[] | undefined }) {
  return `--${name}${helpValue === undefined ? '' : `=${helpValue}`}`
}

/** The command as users type it, with its arguments. */
export function usageOf(id: string, args: Readonly<Record<string, Arg>>): string {
  const labels = Object.entries(args).map(([name, arg]) => argLabel(name, arg))
  return [BIN, ...id.split(':'), ...labels, '[FLAGS]'].join(' ')
}

export function argLabel(name: string, { required, multiple }: Arg): string {
  const label = `${name.toUpperCase()}${multiple ? '...' : ''}`
  return required ? label : `[${label}]`
}

export async function showHelp(list: CommandList, words: readonly string[], system: System): Promise<number> {
  const id = findPage(words, new Set(helpPageIds(list)))
  if (id === undefined) {
    const ids = [...list.ids, ...MORE_PAGES.map(({ value }) => value)]
    throw unknownCommand({ words, ids, topics: [], before: 'help' })
  }
  const colours = useColours(system.env, system.stdout)
  const { width = MAX_WIDTH } = screenOf(system, system.stdout)
  const maxWidth = Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH)
  if (id === EXIT_CODES_PAGE) {
    system.stdout.write(exitCodesPage(colours, maxWidth))
    return EXIT.ok
  }
  const needed = list.ids.filter((each) => id === '' || each === id || each.startsWith(`${id}:`))
  const help = new CliHelp({ stripAnsi: !colours, maxWidth })
  system.stdout.write(`${help.page(id, list, await list.load(needed))}\n`)
  return EXIT.ok
}

export function helpPageIds({ ids, topics }: CommandList): readonly string[] {
  return ['', ...ids, ...Object.keys(topics), ...MORE_PAGES.map(({ value }) => value)]
}

function describeForHelp(id: string, { examples, args, flags, ...command }: Command): OclifCommand.Loadable {
  return {
    id,
    summary: command.summary,
    description: command.description,
    examples: [...examples],
    args: withNames(args),
    flags: withNames({ ...flags, ...globalFlags }),
    aliases: [],
    hiddenAliases: [],
    hidden: false,
    load: () => Promise.reject(new Error('Help only renders; runCli runs commands.')),
  }
}

function withNames<Value extends object>(
  values: Readonly<Record<string, Value>>,
): Record<string, Value & { name: string }> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { ...value, name }]))
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
  commands: Commands,
): readonly HelpLine[] {
  return [...new Set(ids.map((id) => id.replace(/:.*/, '')))].map((word) => {
    const verbs = ids.flatMap((id) => (id.startsWith(`${word}:`) ? [id.slice(word.length + 1)] : []))
    return [word, verbs.length === 0 ? (commands[word]?.summary ?? '') : `${topics[word]}: ${verbs.join(', ')}`]
  })
}

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'success',
  failure: 'failure: a server error, the address of another service, or a declined confirmation',
  usage: 'invalid command line, or rejected by the service as invalid',
  credentials: 'credentials missing, wrong, insufficient, or of another player',
  notFound: 'not found',
  conflict: 'conflict: already exists or in use, such as a file that would be overwritten',
  partly: 'partly done',
  unreachable: 'the service, its storage or a proxy is unreachable',
  rateLimited: 'rate limited for longer than the maximum wait; retryAt is the end of the limit',
  interrupted: 'interrupted',
}

function exitCodesPage(colours: boolean, width: number): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => ({
    exit: EXIT[name as keyof typeof EXIT],
    meaning,
  }))
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { field: 'exit', align: 'right' },
    { field: 'meaning', wrap: true },
  ]
  const screen = { colours, unicode: true, width }
  const parts = [
    wrapMessage('Exit codes of all commands ($? in a shell):', screen),
    renderLines(renderTable(rows, columns, screen), screen),
    wrapMessage('With --json, the error also contains the exit code as error.exit.', screen),
  ]
  return `${parts.join('\n\n')}\n`
}
