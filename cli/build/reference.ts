import { AUDIENCES } from '../src/commands/index.ts'
import { EXIT, FAILURE_SCHEMA } from '../src/core/errors.ts'
import { EXIT_MEANINGS } from '../src/help/help.ts'
import { FORMATS } from '../src/output/format.ts'
import { displayWidth, pad } from '../src/output/text.ts'
import type { CommandPage, ExamplePage, FlagPage } from './pages.ts'
import { FILES, SERVER_VARIABLES, VARIABLES } from './pages.ts'

const SHARED = {
  service: { title: 'Flags of commands that ask a service', anchor: 'flags-of-commands-that-ask-a-service' },
  output: { title: 'Flags of commands that print rows', anchor: 'flags-of-commands-that-print-rows' },
  global: { title: 'Flags of every command', anchor: 'flags-of-every-command' },
} as const

/** The reference page: every command, what they have in common, and what they end with. */
export function renderReference(pages: readonly CommandPage[]): string {
  const blocks = [
    '# Reference of fish-cli',
    '<!-- Generated from the commands by `npm run generate`; a test fails while it is not what they say. -->',
    'Every command, flag, variable and exit status. To begin with, read the [README](README.md). `fish-cli COMMAND --help` ' +
      'and `man fish-cli` say the same.',
    '## Contents',
    contents(pages),
    ...AUDIENCES.flatMap(({ name }) => [
      `## For ${name}`,
      ...pages.filter(({ audience }) => audience === name).flatMap(command),
    ]),
    ...Object.entries(SHARED).flatMap(([group, { title }]) => [`## ${title}`, flagTable(sharedFlags(pages, group))]),
    `Rows come as ${FORMATS.map((format) => `\`${format}\``).join(', ')}.`,
    '## Environment variables',
    'A flag wins over its variable. Where “or `_FILE`” stands, the variable of that name with `_FILE` behind it may point ' +
      'to a file that holds the value. Secrets are never arguments: others on a machine can read those.',
    table(
      ['variable', 'meaning'],
      VARIABLES.map(({ name, meaning, file }) => [`\`${name}\`${file ? ' or `_FILE`' : ''}`, text(meaning)]),
    ),
    '### Variables of serve',
    'They configure the server. Those of the same name above are what commands hear.',
    table(
      ['variable', 'meaning'],
      SERVER_VARIABLES.map(({ name, meaning }) => [`\`${name}\``, text(meaning)]),
    ),
    '## Files',
    'On Linux, `XDG_CONFIG_HOME` and `XDG_STATE_HOME` take the place of `~/.config` and `~/.local/state`.',
    table(
      ['Linux', 'macOS', 'Windows', 'what it holds'],
      FILES.map(({ linux, macos, windows, meaning }) => [
        `\`${linux}\``,
        `\`${macos}\``,
        `\`${windows}\``,
        text(meaning),
      ]),
    ),
    '## Exit status',
    '`fish-cli help exit-codes` prints this too.',
    table(
      ['exit', 'meaning'],
      Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [String(EXIT[name as keyof typeof EXIT]), text(meaning)]),
    ),
    '## Failures as JSON',
    'With `--json` or `-o json`, a command that fails prints one document on stdout, and nothing else there. ' +
      "`import { FAILURE_SCHEMA } from 'fish-cli'` is its JSON Schema.",
    '```json\n{ "error": { "code": "user_not_found", "message": "…", "hint": "…", "exit": 5, "requestId": "…", "retryAt": null } }\n```',
    table(
      ['field of `error`', 'type', 'meaning'],
      Object.entries(FAILURE_SCHEMA.properties.error.properties).map(([name, { type, description }]) => [
        `\`${name}\``,
        [type].flat().join(' or '),
        text(description),
      ]),
    ),
  ]
  return `${blocks.join('\n\n')}\n`
}

function contents(pages: readonly CommandPage[]): string {
  const lines = AUDIENCES.flatMap(({ name }) => [
    `- [For ${name}](#for-${name})`,
    ...pages
      .filter(({ audience }) => audience === name)
      .map(({ title, summary }) => `  - [${title}](#${anchor(title)}): ${text(summary)}`),
  ])
  const rest = [
    ...Object.values(SHARED).map(({ title }) => title),
    'Environment variables',
    'Files',
    'Exit status',
    'Failures as JSON',
  ]
  return [...lines, ...rest.map((title) => `- [${title}](#${anchor(title)})`)].join('\n')
}

function command({ title, summary, description, synopsis, args, flags, examples }: CommandPage): string[] {
  const own = flags.filter(({ group }) => group === 'own')
  const shared = Object.entries(SHARED).flatMap(([group, target]) => {
    const names = flags.flatMap((flag) => (flag.group === group ? [`\`--${flag.name}\``] : []))
    return names.length === 0 ? [] : [`${names.join(', ')} ([${target.title.toLowerCase()}](#${target.anchor}))`]
  })
  return [
    `### ${title}`,
    text(summary),
    // The backslash at the end of a line keeps it one.
    ...description.map((lines) => lines.map(text).join('\\\n')),
    `\`\`\`text\n${[title, ...synopsis].join(' ')}\n\`\`\``,
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', 'meaning'],
            args.map((arg) => [`\`${arg.label}\``, text(arg.description)]),
          ),
        ]),
    ...(own.length === 0 ? [] : [flagTable(own)]),
    ...(shared.length === 0 ? [] : [`Also takes ${shared.join('; ')}.`]),
    `\`\`\`sh\n${examples.map(example).join('\n')}\n\`\`\``,
  ]
}

function example({ description, command: line }: ExamplePage): string {
  return description === undefined ? line : `# ${description.replace(/:$/, '')}\n${line}`
}

/** Each flag of a group that many commands share, once. */
function sharedFlags(pages: readonly CommandPage[], group: string): readonly FlagPage[] {
  const flags = pages.flatMap((page) => page.flags.filter((flag) => flag.group === group))
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()].toSorted((one, other) =>
    one.name.localeCompare(other.name, 'en'),
  )
}

function flagTable(flags: readonly FlagPage[]): string {
  return table(
    ['flag', 'meaning'],
    flags.map(({ name, char, value, summary, fallback, required }) => {
      const long = `--${name}${value === undefined ? '' : `=${value}`}`
      const notes = [
        ...(required ? ['Required.'] : []),
        ...(fallback === undefined ? [] : [`Default: \`${fallback}\`.`]),
      ]
      return [`\`${char === undefined ? long : `-${char}, ${long}`}\``, [text(summary), ...notes].join(' ')]
    }),
  )
}

/** A table whose columns stand below each other, as formatters of Markdown leave it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => displayWidth(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0)).join(' | ')} |`
  const [titles = [], ...others] = cells
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}

/** Plain text as Markdown: what would be read as its own signs is escaped. */
function text(plain: string): string {
  return plain.replace(/[\\`*<>[\]~]/g, '\\$&').replace(/(?<!\w)_|_(?!\w)/g, '\\_')
}

/** The anchor that GitHub, npm and others give a heading. */
function anchor(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
