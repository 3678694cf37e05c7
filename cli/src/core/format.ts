import { usageError } from './errors.ts'

/** The output formats of rows. */
export const FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const

export type Format = (typeof FORMATS)[number]

/** Output flags. Commands that print rows have all of them (`outputFlags`). */
export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly output?: string | undefined
  readonly fields?: string | undefined
  readonly raw?: boolean | undefined
  readonly 'no-pager'?: boolean | undefined
}

/**
 * The format: `--output`, or `--json`, which is short for `--output json`.
 * @throws CliError for an unknown format, or when the two disagree
 */
export function formatOf(flags: OutputFlags): Format {
  return parseFormat(FORMATS, flags)
}

/** The same for a command with formats of its own, which include table and JSON. */
export function parseFormat<Name extends string>(
  formats: readonly (Name | 'table' | 'json')[],
  { json, output }: OutputFlags,
): Name | 'table' | 'json' {
  if (output === undefined) return json ? 'json' : 'table'
  const format = formats.find((name) => name === output.toLowerCase())
  if (!format) throw usageError(`--output must be one of ${formats.join(', ')}.`)
  if (json && format !== 'json') throw usageError('--json and --output contradict each other.', 'Use only one of them.')
  return format
}

/** Whether arguments request JSON. Works without parsing, so that errors about arguments are JSON too. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some(
    (word, index, words) =>
      word === '--json' ||
      /^(--output=|-o=?)json$/i.test(word) ||
      (/^(--output|-o)$/.test(word) && words[index + 1]?.toLowerCase() === 'json'),
  )
}

/** Whether arguments name a format, without parsing them. */
export function hasFormatFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some((word) => /^(--json$|--output(=|$)|-o)/.test(word))
}

export function hasNoColourFlag(argv: readonly string[]): boolean {
  return flagWords(argv).includes('--no-color')
}

// After `--`, nothing is a flag.
function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
