import { EXIT } from '../src/core/errors.ts'
import { EXIT_MEANINGS, FIRST_STEPS } from '../src/help/help.ts'
import { readManifest } from '../src/package.ts'
import { COMMANDS } from '../src/runtime/commands.ts'
import {
  type CommandPage,
  commandPages,
  type ExamplePage,
  FILES,
  type FlagPage,
  type TopicPage,
  topicPages,
  VARIABLES,
  type Variable,
  variablesOf,
} from './pages.ts'

/** Reads the commands and the package manifest. */
export async function readManSources(): Promise<ManSources> {
  const { version, description = '' } = readManifest()
  return { pages: await commandPages(), topics: topicPages(), version, description }
}

interface ManPage {
  readonly file: string
  readonly text: string
}

interface ManSources {
  readonly pages: readonly CommandPage[]
  readonly topics: readonly TopicPage[]
  readonly version: string
  /** A sentence without its full stop. */
  readonly description: string
}

const PROGRAM = 'fish-cli'
const MANUAL = 'Fish and Crab Collection Service'
// No justification and no hyphenation: both spoil text that is copied.
const AS_WRITTEN = ['.ad l', '.nh']

/** A manual page for the program, each command, and each topic that is not a command. */
export function manPages(sources: ManSources): readonly ManPage[] {
  const { pages, topics } = sources
  return [
    manPage(PROGRAM, sources, programPage(sources)),
    ...pages.map((page) => manPage(nameOf(page.id), sources, commandPage(page, pages))),
    ...topics.map((topic) => manPage(nameOf(topic.word), sources, topicPage(topic, pages))),
  ]
}

/** The name of a page as an argument of man. */
function nameOf(id: string): string {
  return `${PROGRAM}-${id.replaceAll(':', '-')}`
}

// No date, so that builds are reproducible.
function manPage(name: string, { version }: ManSources, lines: readonly string[]): ManPage {
  const head = request('TH', name.toUpperCase(), SECTION, '', `${PROGRAM} ${version}`, MANUAL)
  return { file: `${name}.${SECTION}`, text: `${[head, ...AS_WRITTEN, ...lines].join('\n')}\n` }
}

function programPage({ pages, description }: ManSources): readonly string[] {
  return [
    ...name(PROGRAM, description),
    '.SH SYNOPSIS',
    `${bold(PROGRAM)} ${italic('COMMAND')} [${italic('FLAGS')}]`,
    '.br',
    `${bold(`${PROGRAM} help`)} [${italic('COMMAND')}]`,
    '.br',
    bold(`${PROGRAM} --version`),
    '.SH DESCRIPTION',
    line(`${description}.`),
    '.PP',
    line('Every command has its own page, such as fish-cli-list(1), and prints its flags with --help.'),
    ...COMMANDS.groups.flatMap((group) => [
      request('SH', `COMMANDS FOR ${group.name.toUpperCase()}`),
      ...pages.filter((page) => page.group === group.name).flatMap(({ title, summary }) => entry(bold(title), summary)),
    ]),
    ...environment(VARIABLES),
    '.PP',
    line('For the variables of the server, see fish-cli-serve(1).'),
    ...exitStatus(),
    '.SH EXAMPLES',
    ...exampleLines(FIRST_STEPS.map(([command, what]) => ({ description: `${capital(what)}:`, command }))),
    ...files(),
    ...seeAlso([nameOf('login'), nameOf('add'), nameOf('list'), nameOf('watch'), nameOf('serve')]),
  ]
}

function topicPage({ word, summary }: TopicPage, pages: readonly CommandPage[]): readonly string[] {
  const commands = pages.filter(({ id }) => id.startsWith(`${word}:`))
  return [
    ...name(nameOf(word), summary),
    '.SH SYNOPSIS',
    `${bold(`${PROGRAM} ${word}`)} ${italic('COMMAND')} [${italic('FLAGS')}]`,
    '.SH DESCRIPTION',
    line(`${summary}. The commands:`),
    ...commands.flatMap((command) => entry(bold(command.title), command.summary)),
    ...exitStatus(),
    '.SH EXAMPLES',
    ...exampleLines(
      commands.flatMap(({ summary: what, examples: [first] }) =>
        first ? [{ ...first, description: first.description ?? what }] : [],
      ),
    ),
    ...seeAlso([PROGRAM, ...commands.map(({ id }) => nameOf(id))]),
  ]
}

function commandPage(page: CommandPage, pages: readonly CommandPage[]): readonly string[] {
  const { id, title, summary, description, synopsis, args, flags, examples } = page
  const usesFiles = flags.some((flag) => flag.name === 'profile') || /^(config|profile):/.test(id)
  return [
    ...name(nameOf(id), summary),
    '.SH SYNOPSIS',
    bold(title),
    ...synopsis.map(element),
    '.SH DESCRIPTION',
    line(summary),
    ...description.flatMap((lines) => ['.PP', lines.map(line).join('\n.br\n')]),
    ...(args.length === 0
      ? []
      : ['.SH ARGUMENTS', ...args.flatMap((arg) => entry(element(arg.label), `${capital(arg.description)}.`))]),
    '.SH OPTIONS',
    ...flags.flatMap(flag),
    ...environment(variablesOf(page)),
    ...exitStatus(),
    '.SH EXAMPLES',
    ...exampleLines(examples),
    ...(usesFiles ? files() : []),
    ...seeAlso([PROGRAM, ...neighbours(page, pages)]),
  ]
}

/** Related pages: the same topic, and commands named in the description. */
function neighbours({ id, description }: CommandPage, pages: readonly CommandPage[]): readonly string[] {
  const topic = id.replace(/:.*/, '')
  const isBeside = (other: CommandPage) => other.id === topic || other.id.startsWith(`${topic}:`)
  const text = description.flat().join('\n')
  const named = pages.filter(({ title }) => new RegExp(`\\b${title}\\b`).test(text))
  const parent = id.includes(':') && !pages.some((page) => page.id === topic) ? [nameOf(topic)] : []
  const others = [...pages.filter(isBeside), ...named].filter((page) => page.id !== id)
  return [...new Set([...parent, ...others.map((page) => nameOf(page.id))])]
}

/** The section of the manual that commands are in. */
const SECTION = '1'

/** NAME: what `apropos` finds; one sentence without its end. */
function name(page: string, summary: string): readonly string[] {
  const [first = ''] = summary.split(/\.(?:\s|$)/)
  return ['.SH NAME', `${escaped(page)} \\- ${escaped(first.charAt(0).toLowerCase() + first.slice(1))}`]
}

/** One part of a synopsis, on one line: flags bold, values italic. */
function element(text: string): string {
  return text
    .split(/([[\]| ]|\.\.\.)/)
    .map((part) => {
      if (part === ' ') return '\\ '
      if (part.startsWith('-')) return bold(part)
      return /^[A-Z]/.test(part) ? italic(part) : escaped(part)
    })
    .join('')
}

function flag({ name: long, char, value, summary, fallback, required }: FlagPage): readonly string[] {
  const short = char === undefined ? '' : `${bold(`-${char}`)}, `
  const notes = [...(required ? ['Required.'] : []), ...(fallback === undefined ? [] : [`Default: ${fallback}.`])]
  const label = `${short}${bold(`--${long}`)}${value === undefined ? '' : `=${element(value)}`}`
  return entry(label, [summary, ...notes].join(' '))
}

function environment(variables: readonly Variable[]): readonly string[] {
  return [
    '.SH ENVIRONMENT',
    ...variables.flatMap(({ name: variable, meaning, file }) =>
      entry(
        file ? `${bold(variable)}, ${bold(`${variable}_FILE`)}` : bold(variable),
        file ? fromFile(meaning) : meaning,
      ),
    ),
  ]
}

function fromFile(meaning: string): string {
  return `${meaning} The second variable names a file with the value.`
}

function exitStatus(): readonly string[] {
  return [
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_MEANINGS).flatMap(([code, meaning]) =>
      entry(bold(String(EXIT[code as keyof typeof EXIT])), `${capital(meaning)}.`),
    ),
  ]
}

function exampleLines(examples: readonly ExamplePage[]): readonly string[] {
  return examples.flatMap(({ description, command }, index) => [
    // A paragraph may not be empty, nor begin a section: mandoc warns of both.
    ...(description === undefined ? [] : [...(index === 0 ? [] : ['.PP']), line(description)]),
    ...(description === undefined && index === 0 ? [] : ['.sp']),
    '.RS 4',
    ...verbatim([command]),
    '.RE',
  ])
}

/** The paths on Linux, where manual pages are read most. */
function files(): readonly string[] {
  return ['.SH FILES', ...FILES.flatMap(({ linux, meaning }) => entry(italic(linux), meaning))]
}

function seeAlso(names: readonly string[]): readonly string[] {
  const references = names.map((each) => `${bold(each)}(${SECTION})`)
  return [
    '.SH SEE ALSO',
    references.map((each, index) => (index < references.length - 1 ? `${each},` : each)).join('\n'),
  ]
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

// roff escapes: a plain `-` would become a hyphen and quotes typographic ones, which no shell accepts (groff_char(7),
// man(7) "Portability").
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
}

const SPECIAL = /[\\\-'`^~"]|[^\u0020-\u007e]/gu

function escaped(text: string): string {
  return text.replaceAll('\n', ' ').replace(SPECIAL, (sign) => SIGNS[sign] ?? unicode(sign))
}

function unicode(sign: string): string {
  return `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
}

/** A line of text. At its start, `.` would begin a request; `'` is escaped anywhere. */
export function line(text: string): string {
  return escaped(text).replace(/^\./, '\\&.')
}

/** Bold text in a line, which may follow or precede others. */
export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fP`
}

/** Italic text in a line: a word to be replaced by a value. */
function italic(text: string): string {
  return `\\fI${escaped(text)}\\fP`
}

/** A request with its arguments, each one argument whatever is in it. */
export function request(name: string, ...args: readonly string[]): string {
  return [`.${name}`, ...args.map((arg) => `"${escaped(arg)}"`)].join(' ')
}

/** An entry of a list: a label that is roff already, and its text. */
function entry(label: string, text: string): readonly string[] {
  return ['.TP', label, line(text)]
}

/** Lines that are shown as they are, none filled. */
function verbatim(lines: readonly string[]): readonly string[] {
  return ['.nf', ...lines.map(line), '.fi']
}
