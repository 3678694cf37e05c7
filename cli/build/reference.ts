import { flagOf, SETTINGS, type Setting } from '@fish-crab/server'
import { ERROR_SCHEMA, EXIT } from '../src/core/errors.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { EXIT_MEANINGS } from '../src/program/help.ts'
import { displayWidth, pad } from '../src/terminal/text.ts'
import type { CommandPage, ExamplePage, FlagPage } from './pages.ts'
import { FILES, SERVER_VARIABLES, VARIABLES } from './pages.ts'

const GLOBAL_FLAGS = 'Global flags'

export function renderReference(pages: readonly CommandPage[]): string {
  const blocks = [
    '# Reference of fish-cli',
    '<!-- Generated from the commands by `npm run generate`; a test fails if it is out of date. -->',
    'Every command, flag, variable and exit code. New here? Start with the [README](README.md). The same text is in ' +
      '`fish-cli COMMAND --help`.',
    '## Contents',
    contents(pages),
    ...COMMANDS.groups.flatMap(({ name }) => [
      `## For ${name}`,
      ...pages.filter(({ group }) => group === name).flatMap(command),
    ]),
    `## ${GLOBAL_FLAGS}`,
    '`fish-cli help flags` prints this list.',
    flagTable(globalFlags(pages)),
    '## Environment variables',
    'A flag takes precedence over its variable. Where the table says “or `_FILE`”, you can instead set the variable with the suffix `_FILE`, such as `FISH_KEY_FILE`, to the path of a file that contains the value. Secrets are never arguments, because others on the machine can read arguments.',
    table(
      ['variable', 'meaning'],
      VARIABLES.map(({ name, meaning, file }) => [`\`${name}\`${file ? ' or `_FILE`' : ''}`, text(meaning)]),
    ),
    '### Variables of serve',
    'These variables configure the server. If a name is also in the table above, that table applies to the other commands.',
    table(
      ['variable', 'meaning'],
      SERVER_VARIABLES.map(({ name, meaning }) => [`\`${name}\``, text(meaning)]),
    ),
    '## Files',
    'On Linux, `XDG_CONFIG_HOME` and `XDG_STATE_HOME` replace `~/.config` and `~/.local/state`.',
    table(
      ['Linux', 'macOS', 'Windows', 'content'],
      FILES.map(({ linux, macos, windows, meaning }) => [
        `\`${linux}\``,
        `\`${macos}\``,
        `\`${windows}\``,
        text(meaning),
      ]),
    ),
    '## Exit status',
    '`fish-cli help exit-codes` prints this table.',
    table(
      ['exit', 'meaning'],
      Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [String(EXIT[name as keyof typeof EXIT]), text(meaning)]),
    ),
    '## Errors as JSON',
    'With `--json`, a command that fails prints one JSON document, and nothing else, to stdout. ' +
      "`import { ERROR_SCHEMA } from 'fish-cli'` is its JSON Schema.",
    '```json\n{ "error": { "code": "user_not_found", "message": "…", "hint": "…", "exit": 5, "requestId": "…", "retryAt": null } }\n```',
    table(
      ['field of `error`', 'type', 'meaning'],
      Object.entries(ERROR_SCHEMA.properties.error.properties).map(([name, { type, description }]) => [
        `\`${name}\``,
        [type].flat().join(' or '),
        text(description),
      ]),
    ),
  ]
  return `${blocks.join('\n\n')}\n`
}

/** Replaces the table between the markers of a page with the settings of the server. */
export function withSettings(page: string): string {
  const rows = Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
    const flag = flagOf(setting)
    const { env, fallback, summary } = setting
    return [env, flag && `--${flag}`, fallback].map((code) => (code ? `\`${code}\`` : '')).concat(text(summary))
  })
  const markers = /(<!-- settings: .*? -->\n).*?(<!-- \/settings -->)/s
  return page.replace(
    markers,
    (_, start, end) => `${start}\n${table(['variable', 'flag', 'default', 'meaning'], rows)}\n\n${end}`,
  )
}

function contents(pages: readonly CommandPage[]): string {
  const lines = COMMANDS.groups.flatMap(({ name }) => [
    `- [For ${name}](#for-${name})`,
    ...pages
      .filter(({ group }) => group === name)
      .map(({ title, summary }) => `  - [${title}](#${anchor(title)}): ${text(summary)}`),
  ])
  const rest = [GLOBAL_FLAGS, 'Environment variables', 'Files', 'Exit status', 'Errors as JSON']
  return [...lines, ...rest.map((title) => `- [${title}](#${anchor(title)})`)].join('\n')
}

function command({ title, summary, description, usage, args, flags, examples }: CommandPage): string[] {
  const own = flags.filter(({ isGlobal }) => !isGlobal)
  const global = flags.filter(({ isGlobal }) => isGlobal).map(({ name }) => `\`--${name}\``)
  return [
    `### ${title}`,
    text(summary),
    `\`\`\`text\n${usage}\n\`\`\``,
    `\`\`\`sh\n${examples.map(example).join('\n')}\n\`\`\``,
    // A backslash is a line break in Markdown.
    ...description.map((lines) => lines.map(text).join('\\\n')),
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', 'meaning'],
            args.map((arg) => [`\`${arg.label}\``, text(arg.description)]),
          ),
        ]),
    ...(own.length === 0 ? [] : [flagTable(own)]),
    `[${GLOBAL_FLAGS}](#${anchor(GLOBAL_FLAGS)}): ${global.join(', ')}.`,
  ]
}

function example({ description, command: line }: ExamplePage): string {
  return description === undefined ? line : `# ${description.replace(/:$/, '')}\n${line}`
}

/** Returns the flags that work with all commands, each flag once. */
function globalFlags(pages: readonly CommandPage[]): readonly FlagPage[] {
  const flags = pages.flatMap((page) => page.flags.filter(({ isGlobal }) => isGlobal))
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

/** Returns a Markdown table with aligned columns, in the style of Markdown formatters. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => displayWidth(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0)).join(' | ')} |`
  const [titles = [], ...others] = cells
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}

/** Escapes plain text for Markdown. */
function text(plain: string): string {
  return plain.replace(/[\\`*<>[\]~]/g, '\\$&').replace(/(?<!\w)_|_(?!\w)/g, '\\_')
}

/** Returns the anchor of a heading on GitHub and npm. */
function anchor(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-')
}
