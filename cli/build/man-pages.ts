import { AUDIENCES } from '../src/commands/index.ts'
import { FIRST_STEPS } from '../src/help/help.ts'
import type { CommandPage, TopicPage } from './command-pages.ts'
import { VARIABLES, variablesOf } from './environment.ts'
import {
  capital,
  element,
  environment,
  exampleLines,
  exitStatus,
  files,
  flag,
  name,
  SECTION,
  seeAlso,
} from './man-sections.ts'
import { bold, entry, italic, line, request } from './roff.ts'

/** A manual page: the name of its file, and what is in it. */
export interface ManPage {
  readonly file: string
  readonly text: string
}

/** What manual pages are made from. */
export interface ManSources {
  readonly pages: readonly CommandPage[]
  readonly topics: readonly TopicPage[]
  readonly version: string
  /** What the program is, a sentence without its end. */
  readonly description: string
}

const PROGRAM = 'fish-cli'
const MANUAL = 'Fish and Crab Collection Service'
// No spaces between words to fill a line, and no word split: both spoil what is to be copied.
const AS_WRITTEN = ['.ad l', '.nh']

/** A manual page for the program, for each command, and for each topic that is no command. */
export function manPages(sources: ManSources): readonly ManPage[] {
  const { pages, topics } = sources
  return [
    manPage(PROGRAM, sources, programPage(sources)),
    ...pages.map((page) => manPage(nameOf(page.id), sources, commandPage(page, pages))),
    ...topics.map((topic) => manPage(nameOf(topic.word), sources, topicPage(topic, pages))),
  ]
}

/** The name of the page about a command or topic, as it is given to man. */
function nameOf(id: string): string {
  return `${PROGRAM}-${id.replaceAll(':', '-')}`
}

// No date: the same sources make the same page, whenever they are built. The version says how old it is.
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
    line('Every command has a page of its own, such as fish-cli-list(1), and says its flags with --help.'),
    ...AUDIENCES.flatMap((audience) => [
      request('SH', `COMMANDS FOR ${audience.name.toUpperCase()}`),
      ...pages
        .filter((page) => page.audience === audience.name)
        .flatMap(({ title, summary }) => entry(bold(title), summary)),
    ]),
    ...environment(VARIABLES),
    '.PP',
    line('What the server itself hears stands in fish-cli-serve(1).'),
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

/** Other pages to read: those of the same topic, and those of the commands that this one names. */
function neighbours({ id, description }: CommandPage, pages: readonly CommandPage[]): readonly string[] {
  const topic = id.replace(/:.*/, '')
  const isBeside = (other: CommandPage) => other.id === topic || other.id.startsWith(`${topic}:`)
  const text = description.flat().join('\n')
  const named = pages.filter(({ title }) => new RegExp(`\\b${title}\\b`).test(text))
  const parent = id.includes(':') && !pages.some((page) => page.id === topic) ? [nameOf(topic)] : []
  const others = [...pages.filter(isBeside), ...named].filter((page) => page.id !== id)
  return [...new Set([...parent, ...others.map((page) => nameOf(page.id))])]
}
