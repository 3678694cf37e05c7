import { usageError } from '../core/errors.ts'

/** The forms that rows can be printed in. */
export const FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number]

/** The flags that say how to print; commands that print rows have all of them (`outputFlags`). */
export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly output?: string | undefined
  readonly fields?: string | undefined
  readonly raw?: boolean | undefined
  readonly 'no-pager'?: boolean | undefined
}

/**
 * The form that flags ask for: `--output`, or `--json`, which is short for `--output json`.
 * @throws CliError when there is no such form, or the two disagree
 */
export function formatOf(flags: OutputFlags): Format {
  return parseFormat(FORMATS, flags)
}

/** The same for a command that has forms of its own, a table and JSON among them. */
export function parseFormat<Name extends string>(
  formats: readonly (Name | 'table' | 'json')[],
  { json, output }: OutputFlags,
): Name | 'table' | 'json' {
  if (output === undefined) return json ? 'json' : 'table'
  const format = formats.find((name) => name === output.toLowerCase())
  if (!format) throw usageError(`--output must be one of ${formats.join(', ')}.`)
  if (json && format !== 'json') throw usageError('--json and --output say different things.', 'Leave one out.')
  return format
}

/** Whether arguments ask for JSON, told without parsing them: also bad ones are answered in the form they ask for. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some(
    (word, index, words) =>
      word === '--json' ||
      /^(--output=|-o=?)json$/i.test(word) ||
      (/^(--output|-o)$/.test(word) && words[index + 1]?.toLowerCase() === 'json'),
  )
}

/** Whether arguments say in which form to print, told without parsing them. */
export function hasFormatFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some((word) => /^(--json$|--output(=|$)|-o)/.test(word))
}

/** Those before `--`: behind it, nothing is a flag. */
function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
